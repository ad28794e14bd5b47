import { list, type Path } from '../../../config/config-error.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import type { Interval } from './time-intervals.ts'

const YEAR_MS = 365 * 24 * 3_600_000
const MAX_NAME = 64

interface Muting {
  readonly intervals: ReadonlyMap<string, Interval>
  note(path: Path, message: string): void
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the silences that stand for the mute and active intervals of a route: Alertmanager notifies after a mute of what
 * still fires, and so does the end of a silence, which a rule with `to: none` would not.
 */
export function silencesOf(
  route: JsonObject,
  path: Path,
  match: { readonly [field: string]: string },
  { intervals, note, now }: Muting,
): object[] {
  const schedules = [
    ...namesIn(route.mute_time_intervals).map((name) => [name, 'mute', intervals.get(name)?.windows] as const),
    ...namesIn(route.active_time_intervals).map((name) => [name, 'outside', intervals.get(name)?.others] as const),
  ]
  const active = namesIn(route.active_time_intervals)
  return schedules.flatMap(([name, way, windows]) => {
    const key = [...path, way === 'mute' ? 'mute_time_intervals' : 'active_time_intervals']
    const refusal = refusalOf({
      name,
      windows,
      isEmpty: Object.keys(match).length === 0,
      isOneOfMany: way !== 'mute' && active.length > 1,
    })
    if (refusal !== undefined) {
      note(key, refusal)
      return []
    }
    const until = new Date(now + YEAR_MS).toISOString().slice(0, 10)
    note(key, `became a silence until ${until}, which also holds what routes below it match: renew it in time`)
    const silence = { name: nameOf(`${way} ${name} of ${path.join('.')}`), match, schedule: windows, until }
    return [{ ...silence, owner: 'alertmanager.yml', comment: `${key.at(-1)} of ${path.join('.')}` }]
  })
}

interface Facts {
  readonly name: string
  readonly windows: Interval['windows'] | undefined
  readonly isEmpty: boolean
  readonly isOneOfMany: boolean
}

function refusalOf({ name, windows, isEmpty, isOneOfMany }: Facts): string | undefined {
  if (windows === undefined)
    return `${name} is not taken over: it is not in the file, goes by days of the month, or cannot be read; its alerts are notified at all times`
  if (isEmpty) return `${name} is not taken over: a silence needs a condition, and this route has none`
  if (isOneOfMany)
    return `${name} is not taken over beside another active interval; its alerts are notified at all times`
  return undefined
}

const namesIn = (value: unknown): readonly string[] => list(value).map(String)

const nameOf = (text: string) =>
  text
    .replace(/[^\w .@-]/g, ' ')
    .slice(0, MAX_NAME)
    .trim()
