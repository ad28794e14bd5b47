import { CodedError } from '../../../../src/domain/errors.ts'
import { personOf } from '../../../../src/oncall/person.ts'
import { ZoneClock } from '../../../../src/policy/oncall/edge.ts'
import { localOf } from '../../../../src/policy/oncall/local-time.ts'
import { HOUR_MS, NOBODY } from '../../../../src/policy/oncall/settings.ts'
import type { NewOverride } from '../../../../src/store/ports/schedules.ts'
import { timeWithZone } from '../../../../src/text/iso-time.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'
import { objectOf, oneOf, refuseUnknown } from '../parameters.ts'

const KEYS = ['schedule', 'person', 'from', 'until', 'instead_of', 'by', 'reason']
const MAX_REASON = 200

interface Known {
  readonly settings: Pick<SystemSettings, 'people' | 'oncallSchedules' | 'oncallOverrides'>
  /** Epoch milliseconds. */
  readonly now: number
}

/** Reads the body of an override. Throws bad_parameter. */
export function overrideOf(body: unknown, { settings, now }: Known): NewOverride {
  const given = objectOf(body, 'the body')
  refuseUnknown(Object.keys(given), KEYS)
  const { people, oncallSchedules, oncallOverrides } = settings
  const schedule = oneOf([...oncallSchedules.keys()])(given.schedule, 'schedule')
  const timeZone = oncallSchedules.get(schedule)?.timeZone ?? 'UTC'
  const person = oneOf([...people.keys(), NOBODY])(given.person, 'person')
  const insteadOf =
    given.instead_of === undefined ? undefined : oneOf([...people.keys()])(given.instead_of, 'instead_of')
  if (insteadOf === person) throw new CodedError('bad_parameter', 'instead_of must be another person')
  const from = given.from === undefined ? now : timeIn(timeZone, given.from, 'from')
  const until = timeIn(timeZone, given.until, 'until')
  if (from < now - HOUR_MS) throw new CodedError('bad_parameter', 'from must be at most one hour ago')
  if (until <= Math.max(from, now)) throw new CodedError('bad_parameter', 'until must be ahead, and after from')
  if (until - from > oncallOverrides.maxMs)
    throw new CodedError('bad_parameter', 'the time from from to until must be at most oncall.overrides.max')
  const by = given.by === undefined ? 'an operator' : lineOf(given.by, 'by')
  const reason = lineOf(given.reason, 'reason')
  return { schedule, person, from, until, by, reason, ...(insteadOf !== undefined && { insteadOf }) }
}

/** Reads a local time of the zone, or one with a zone of its own, as epoch milliseconds. Throws bad_parameter. */
export function timeIn(timeZone: string, given: unknown, name: string): number {
  const written = typeof given === 'string' ? given : ''
  const [local, instant] = [localOf(written), timeWithZone(written)]
  if (local !== undefined) return new ZoneClock(timeZone).instantOf(local)
  if (!Number.isNaN(instant)) return instant
  throw new CodedError(
    'bad_parameter',
    `${name} must be a time such as 2026-12-24T18:00, in the zone of the schedule, or 2026-12-24T17:00:00Z`,
  )
}

function lineOf(given: unknown, name: string): string {
  const text = typeof given === 'string' ? given.replace(/\s+/g, ' ').trim() : ''
  const line = name === 'by' ? personOf(text) : text
  if (line === undefined || line === '' || line.length > MAX_REASON || /\p{Cc}/u.test(line))
    throw new CodedError('bad_parameter', `${name} must be a text of 1 to ${MAX_REASON} characters`)
  return line
}
