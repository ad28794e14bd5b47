import { CodedError } from '../../../../src/domain/errors.ts'
import type { PublicAnswer, PublicRequest } from '../../../../src/http/contract.ts'
import { type FeedShift, feedOf, tagOf } from '../../../../src/oncall/feed.ts'
import { type FeedKind, isSigned } from '../../../../src/oncall/feed-links.ts'
import { DAY_MS } from '../../../../src/policy/oncall/settings.ts'
import type { KnownShift } from '../../../../src/store/ports/schedules.ts'
import type { OncallDeps } from './deps.ts'

const PAST_MS = 30 * DAY_MS
const AHEAD_MS = 180 * DAY_MS
const CACHE_SECONDS = 15 * 60
const FILE = /^([a-z0-9_-]{1,40})\.ics$/

/** Returns the calendar of a person or a schedule. A wrong signature and an unknown name have one answer. */
export async function feed(deps: OncallDeps, kind: FeedKind, request: PublicRequest): Promise<PublicAnswer> {
  const { people, oncallSchedules, oncallFeeds: feeds } = deps.settings()
  const [, name] = FILE.exec(request.params.file ?? '') ?? []
  const key = await deps.ackKey()
  const isValid =
    name !== undefined &&
    key !== undefined &&
    feeds.enable &&
    isSigned(key, { kind, name, revision: feeds.revision }, request.query)
  const title = kind === 'person' ? people.get(name ?? '')?.name : oncallSchedules.has(name ?? '') ? name : undefined
  if (!isValid || title === undefined) throw new CodedError('not_found', 'no calendar has this address')
  const changedAt = await deps.askStorage({ kind: 'schedulesChangedAt' })
  const body = feedOf(`On call: ${title}`, await shiftsOf(deps, kind, name), changedAt)
  const tag = tagOf(body)
  const headers = {
    'Content-Type': 'text/calendar; charset=utf-8',
    'Cache-Control': `private, max-age=${CACHE_SECONDS}`,
    ETag: tag,
  }
  return request.headers['if-none-match'] === tag ? { status: 304, body: '', headers } : { status: 200, body, headers }
}

async function shiftsOf({ askStorage, settings, now }: OncallDeps, kind: FeedKind, name: string): Promise<FeedShift[]> {
  const { people, oncallSchedules } = settings()
  const span = { from: now() - PAST_MS, until: now() + AHEAD_MS }
  const schedules = kind === 'schedule' ? [name] : [...oncallSchedules.keys()]
  const found: FeedShift[] = []
  for (const schedule of schedules)
    for (const shift of await askStorage({ kind: 'scheduleShifts', name: schedule, ...span })) {
      const isWanted = shift.person !== undefined && (kind === 'schedule' || shift.person === name)
      if (isWanted)
        found.push({ schedule, ...within(shift, span), name: people.get(shift.person)?.name ?? shift.person })
    }
  return found
}

/** A shift without an edge has that of the calendar. */
const within = ({ from, until, because }: KnownShift, span: { readonly from: number; readonly until: number }) => ({
  from: Number.isFinite(from) ? from : span.from - (span.from % DAY_MS),
  until: Number.isFinite(until) ? until : span.until - (span.until % DAY_MS),
  because,
})
