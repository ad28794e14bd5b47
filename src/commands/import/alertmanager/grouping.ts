import type { Path } from '../../../config/config-error.ts'
import { MAX_PARTS } from '../../../policy/bundles/group.ts'
import { requiredDuration } from '../../../settings/fields.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import type { TakeNote } from '../written.ts'

/** Grouping of a route; `by` undefined: no route above it or itself has `group_by`. */
export interface Grouping {
  readonly by?: readonly string[] | 'none'
  readonly interval?: string
}

const interval = requiredDuration(10_000)

/** Returns the grouping of a route, with what its parent says where it says nothing. */
export function groupingOf(route: JsonObject, path: Path, note: TakeNote, inherited: Grouping = {}): Grouping {
  const { group_by: by, group_interval: every, group_wait: wait } = route
  if (wait !== undefined)
    note([...path, 'group_wait'], 'has no counterpart: nothing waits, the first alert of a group is sent at once')
  const labels = Array.isArray(by) ? by.map(String) : []
  if (labels.length > MAX_PARTS) note([...path, 'group_by'], `only the first ${MAX_PARTS} labels are taken over`)
  const fits = every === undefined || interval.safeParse(every).success
  if (!fits) note([...path, 'group_interval'], 'is not taken over: interval is a time from 10s to 365d')
  return {
    ...inherited,
    ...(Array.isArray(by) && { by: labels.includes('...') ? 'none' : labels.slice(0, MAX_PARTS) }),
    ...(every !== undefined && fits && { interval: String(every) }),
  }
}

/** Returns the part of a rule that says its grouping. */
export function groupOf({ by, interval }: Grouping): object {
  if (by === undefined) return {}
  if (by === 'none') return { group: by }
  return { group: { by: by.map((label) => `labels.${label}`), ...(interval !== undefined && { interval }) } }
}
