import { LRUCache } from 'lru-cache'
import { fits } from './condition.ts'
import { type LabelsOf, type Subject, SubjectReader } from './fields.ts'
import { MatchCache } from './matcher.ts'
import type { ConditionSettings } from './route.ts'
import { comparedFields, fitsPayload, type OrderedConditions, orderedConditions } from './rules.ts'

/** One entry of `heartbeats`: incidents or pings that must come again and again. */
export interface HeartbeatSettings {
  readonly name: string
  /** File and line, such as `config.yaml:112`. */
  readonly where: string
  /** An incident that fits all of them is a sign of life; none: only pings are. */
  readonly conditions: readonly ConditionSettings[]
  /** Name in the address of a ping. */
  readonly slug?: string
  /** Address of a ping, in lower case; a secret. */
  readonly uuid?: string
  /** Longest time between two signs of life. Exactly one of `everyMs` and `cron` is set. */
  readonly everyMs?: number
  readonly cron?: CronSettings
  readonly graceMs: number
  /** Longest time of a run that a ping has begun. */
  readonly maxRunMs: number
  /** Severity of the incident that is raised without a sign of life. */
  readonly severity: string
}

/** Times of five fields in a zone (IANA name). */
interface CronSettings {
  readonly times: string
  readonly timeZone: string
}

/** Returns the names of the heartbeats for which an incident is a sign of life. Never throws. */
export type SignsOfLife = (subject: Subject) => readonly string[]

interface Compiled extends OrderedConditions {
  readonly name: string
}

const MAX_REMEMBERED = 10_000

/**
 * Opens `SignsOfLife`. Results are remembered by the fields that conditions look at, so an incident whose fields are
 * known costs one look-up. An incident that a heartbeat raised is no sign of life. Throws for settings that the
 * configuration would refuse.
 */
export function openSignsOfLife(settings: readonly HeartbeatSettings[], labelsOf: LabelsOf): SignsOfLife {
  const cache = new MatchCache()
  const heartbeats = settings
    .filter(({ conditions }) => conditions.length > 0)
    .map(({ name, conditions }) => ({ name, ...orderedConditions(conditions, cache) }))
  const used = comparedFields(heartbeats)
  const known = new LRUCache<string, readonly Compiled[]>({ max: MAX_REMEMBERED })

  function candidatesOf(subject: Subject): readonly Compiled[] {
    const key = used.map((name) => subject[name]).join('\0')
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const reader = new SubjectReader(subject, labelsOf)
    const candidates = heartbeats.filter(({ onFields }) => onFields.every((condition) => fits(condition, reader)))
    known.set(key, candidates)
    return candidates
  }

  return (subject) => {
    if (subject.source === 'heartbeat') return []
    const reader = new SubjectReader(subject, labelsOf)
    return candidatesOf(subject)
      .filter((heartbeat) => fitsPayload(heartbeat, reader))
      .map(({ name }) => name)
  }
}
