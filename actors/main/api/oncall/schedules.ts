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
import { DAY_MS, NOBODY } from '../../../../src/policy/oncall/settings.ts'
import type { KnownShift, ScheduleNow, StoredOverride } from '../../../../src/store/ports/schedules.ts'
import { isoTime, isoTimeOrNull } from '../../../../src/text/iso-time.ts'
import { TEST_RATE_WAIT_MS } from '../../../messages/send-queries.ts'
import { operatorOf } from '../acknowledge.ts'
import { known, numberOf, refuseUnknown } from '../parameters.ts'
import type { OncallDeps } from './deps.ts'
import { overrideOf, timeIn } from './override-request.ts'

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
