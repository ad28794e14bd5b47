import type {
  OncallOverride,
  OncallOverrideList,
  OncallOverview,
  OncallSchedule,
  OncallShift,
  OncallShiftList,
  OncallTestAnswer,
} from '../../../../src/api/oncall/schedules.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRequest } from '../../../../src/http/contract.ts'
import { type FeedKind, feedPath } from '../../../../src/oncall/feed-links.ts'
import { personOf } from '../../../../src/oncall/person.ts'
import { ZoneClock } from '../../../../src/policy/oncall/edge.ts'
import { localOf } from '../../../../src/policy/oncall/local-time.ts'
import { DAY_MS, HOUR_MS, NOBODY } from '../../../../src/policy/oncall/settings.ts'
import type { KnownShift, NewOverride, ScheduleNow, StoredOverride } from '../../../../src/store/ports/schedules.ts'
import { isoTime, isoTimeOrNull, timeWithZone } from '../../../../src/text/iso-time.ts'
import { TEST_RATE_WAIT_MS } from '../../../messages/send-queries.ts'
import type { SystemSettings } from '../../../wiring/settings.ts'
import { operatorOf } from '../acknowledge.ts'
import { known, numberOf, objectOf, oneOf, refuseUnknown } from '../parameters.ts'
import type { OncallDeps } from './deps.ts'

/** Span of a list of shifts, by default and at most. */
const LISTED_MS = 28 * DAY_MS
const MAX_LISTED_MS = 400 * DAY_MS

export async function overview(deps: OncallDeps): Promise<OncallOverview> {
  const { askStorage, settings } = deps
  const { people, oncallSchedules, oncallOverrides, oncallRules } = settings()
  const feedFor = await feeds(deps)
  const schedules = await askStorage({ kind: 'schedules' })
  const nameOf = namesIn(settings)
  const scheduleOf = ({ name, now, next, gap }: ScheduleNow): OncallSchedule[] => {
    const found = oncallSchedules.get(name)
    if (found === undefined) return []
    return [
      {
        ...{ name, time_zone: found.timeZone, gaps: found.gaps, feed: feedFor('schedule', name) },
        now: shiftOf(now, nameOf),
        next: next === undefined ? null : shiftOf(next, nameOf),
        first_gap: gap === undefined ? null : { from: isoTime(gap.from), until: edgeOf(gap.until) },
      },
    ]
  }
  return {
    zone_data: process.versions.tz ?? '',
    api_overrides: oncallOverrides.api,
    schedules: schedules.flatMap(scheduleOf),
    people: Array.from(people, ([key, { name }]) => ({
      ...{ key, name, feed: feedFor('person', key) },
      ways: (oncallRules?.people.get(key)?.ways ?? []).map((way) => ({ way: wayOf(way), after_ms: way.afterMs })),
    })),
  }
}

/** Returns the function that signs the addresses of calendars. The first question makes the key, if there is none. */
async function feeds({ settings, askSenders }: OncallDeps) {
  const { enable, revision } = settings().oncallFeeds
  const key = enable ? await askSenders({ kind: 'openAckKey' }) : undefined
  return (kind: FeedKind, name: string) => (key === undefined ? null : feedPath(key, { kind, name, revision }))
}

type Ways = NonNullable<ReturnType<OncallDeps['settings']>['oncallRules']>['people']
type Way = NonNullable<ReturnType<Ways['get']>>['ways'][number]

/** Names a way without its address. */
function wayOf(way: Way): string {
  switch (way.kind) {
    case 'channel':
      return way.channel
    case 'gateway':
      return `gateway:${way.gateway}`
    case 'provider':
      return 'provider'
    default:
      return way satisfies never
  }
}

/** Sends a test message to a person by one way. Rejects with `not_found` for a person or way that is not configured. */
export async function testWay(
  { askSenders, settings }: OncallDeps,
  { params: { key = '', way: number = '' } }: AdminRequest,
): Promise<OncallTestAnswer> {
  const { oncallRules, delivery } = settings()
  const { name, ways } = known(oncallRules?.people.get(key), 'person')
  const way = known(ways[numberOf(number, 'way') - 1], 'way')
  const withinMs = TEST_RATE_WAIT_MS + 2 * delivery.timeoutMs
  const { ok, detail, durationMs } =
    way.kind === 'channel'
      ? await askSenders({ kind: 'testMessage', channel: way.channel, target: way.target }, withinMs)
      : await askSenders({ kind: 'testPage', way, name }, withinMs)
  return { person: key, way: wayOf(way), ok, detail, duration_ms: durationMs }
}

export async function shifts(
  { askStorage, settings, now }: OncallDeps,
  { params, query }: AdminRequest,
): Promise<OncallShiftList> {
  refuseUnknown(query.keys(), ['from', 'until'])
  const { name = '' } = params
  const timeZone = settings().oncallSchedules.get(name)?.timeZone
  if (timeZone === undefined) throw new CodedError('not_found', 'no schedule has this name')
  const timeOf = (key: string) => (query.has(key) ? timeIn(timeZone, query.get(key), key) : undefined)
  const from = timeOf('from') ?? now()
  const until = timeOf('until') ?? from + LISTED_MS
  if (until <= from || until - from > MAX_LISTED_MS)
    throw new CodedError('bad_parameter', 'until must be after from, by 400 days at most')
  const found = await askStorage({ kind: 'scheduleShifts', name, from, until })
  const nameOf = namesIn(settings)
  return { schedule: name, time_zone: timeZone, shifts: found.map((shift) => shiftOf(shift, nameOf)) }
}

export async function overrides({ askStorage, settings }: OncallDeps): Promise<OncallOverrideList> {
  const nameOf = namesIn(settings)
  return { overrides: (await askStorage({ kind: 'overrides' })).map((each) => recordOf(each, nameOf)) }
}

export async function addOverride(deps: OncallDeps, { body }: AdminRequest): Promise<OncallOverride> {
  const override = overrideOf(body, { settings: editable(deps), now: deps.now() })
  return recordOf(await deps.askStorage({ kind: 'addOverride', override }), namesIn(deps.settings))
}

export async function endOverride(deps: OncallDeps, { params, query }: AdminRequest): Promise<OncallOverride> {
  editable(deps)
  const by = operatorOf(Object.fromEntries(query))
  const ended = await deps.askStorage({ kind: 'endOverride', id: numberOf(params.id, 'override'), by })
  return recordOf(known(ended, 'override'), namesIn(deps.settings))
}

function editable({ settings }: Pick<OncallDeps, 'settings'>) {
  if (settings().oncallOverrides.api) return settings()
  throw new CodedError('bad_parameter', 'oncall.overrides.api is false: overrides are made in the configuration file')
}

type NameOf = (person: string | undefined) => string | null

const namesIn =
  (settings: OncallDeps['settings']): NameOf =>
  (person) =>
    person === undefined ? null : (settings().people.get(person)?.name ?? person)

const edgeOf = (edge: number) => (Number.isFinite(edge) ? isoTime(edge) : null)

const shiftOf = ({ from, until, person, because, recorded }: KnownShift, nameOf: NameOf): OncallShift => ({
  ...{ from: edgeOf(from), until: edgeOf(until), person: person ?? null, name: nameOf(person), because },
  recorded: recorded === true,
})

function recordOf({ id, schedule, from, until, person, ...rest }: StoredOverride, nameOf: NameOf): OncallOverride {
  const taken = person === NOBODY ? undefined : person
  return {
    ...{ id, schedule, from: isoTime(from), until: isoTime(until), person: taken ?? null, name: nameOf(taken) },
    ...{ instead_of: rest.insteadOf ?? null, by: rest.by, reason: rest.reason, made_at: isoTime(rest.madeAt) },
    ...{ ended_at: isoTimeOrNull(rest.endedAt), ended_by: rest.endedBy ?? null },
  }
}

const KEYS = ['schedule', 'person', 'from', 'until', 'instead_of', 'by', 'reason']
const MAX_REASON = 200

interface Known {
  readonly settings: Pick<SystemSettings, 'people' | 'oncallSchedules' | 'oncallOverrides'>
  /** Epoch milliseconds. */
  readonly now: number
}

/** Reads the body of an override. Throws bad_parameter. */
function overrideOf(body: unknown, { settings, now }: Known): NewOverride {
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
function timeIn(timeZone: string, given: unknown, name: string): number {
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
