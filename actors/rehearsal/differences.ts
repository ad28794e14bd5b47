import type { RehearsalChange } from '../../src/api/noise/rehearsal.ts'
import { SEVERITY_LEVELS, type SeverityLevel, severityLevel } from '../../src/domain/severity.ts'
import type { Fate } from '../../src/store/noise/queries/rehearsed.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import { audienceOf, isHeldForGood, pages, toldOf } from './fate.ts'

type Kind = RehearsalChange['kind']

/** From the worst. */
const KINDS: readonly Kind[] = ['lost', 'silenced', 'page_lost', 'gained', 'page_gained', 'moved', 'page_moved']
const MAX_LISTED = 1_000

/** Collects the incidents that fare differently under two configurations. */
export class Differences {
  readonly #changes = new Map<string, { -readonly [K in keyof RehearsalChange]: RehearsalChange[K] & {} }>()

  add(before: Fate, after: Fate): void {
    const [told, tells] = [audienceOf(before), audienceOf(after)]
    const kind = kindOf(before, after)
    if (kind === undefined) return
    const level = severityLevel(after.severity)
    const change = this.#changeOf(kind, level)
    change.count++
    if (change.incidents.length >= MAX_LISTED) return
    const { id, title, service, severity, committedAt } = after
    const incident = { id, title, service, severity, at: isoTime(committedAt), before: told, after: tells }
    change.incidents = [...change.incidents, incident]
  }

  #changeOf(kind: Kind, level: SeverityLevel) {
    const key = `${kind} ${level}`
    const change = this.#changes.get(key) ?? { kind, level, count: 0, incidents: [] }
    this.#changes.set(key, change)
    return change
  }

  /** Returns the changes, worst first. */
  get changes(): readonly RehearsalChange[] {
    return [...this.#changes.values()].sort(
      (a, b) =>
        KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
        SEVERITY_LEVELS.indexOf(a.level) - SEVERITY_LEVELS.indexOf(b.level),
    )
  }

  /** Critical incidents that reached somebody, and would reach nobody. */
  get lostCriticals(): number {
    return this.changes
      .filter(({ kind, level }) => level === 'critical' && (kind === 'lost' || kind === 'silenced'))
      .reduce((sum, { count }) => sum + count, 0)
  }
}

/** Returns undefined when the incident reaches the same destinations. */
function kindOf(before: Fate, after: Fate): Kind | undefined {
  const [told, tells] = [audienceOf(before), audienceOf(after)]
  if (told.length > 0 && tells.length === 0) return isHeldForGood(after) ? 'silenced' : 'lost'
  if (pages(before) && !pages(after)) return 'page_lost'
  if (told.length === 0 && tells.length > 0) return 'gained'
  if (!pages(before) && pages(after)) return 'page_gained'
  if (toldOf(before).join() !== toldOf(after).join()) return 'moved'
  return told.join() === tells.join() ? undefined : 'page_moved'
}
