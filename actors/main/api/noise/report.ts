import type { FatigueReport } from '../../../../src/api/noise/report.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { wholeIn } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'
import { Fatigue } from './fatigue.ts'
import { unusedSilences } from './live-silences.ts'

type ReportRouteDeps = Pick<RouteDeps, 'askStorage' | 'now'>

const HOUR_MS = 3_600_000
/** Length of a report: a week, 90 days at most. */
const HOURS = { fallback: 168, max: 2_160 }
/** Incidents that one report counts at most, the newest. */
const MAX_INCIDENTS = 100_000

/** Report of what people were told. Reports are made one after another. */
export function reportRoute(deps: ReportRouteDeps): AdminRoute {
  let last: Promise<unknown> = Promise.resolve()
  return route<FatigueReport>('GET', '/api/admin/report', ({ query }) => {
    const asked = { hours: wholeIn(query, 'hours', HOURS), timeZone: timeZoneIn(query) }
    const made = last.then(() => reportOf(deps, asked))
    last = made.catch(() => {})
    return made
  })
}

async function reportOf(
  { askStorage, now }: ReportRouteDeps,
  { hours, timeZone }: { readonly hours: number; readonly timeZone: string },
): Promise<FatigueReport> {
  const to = now()
  const since = to - hours * HOUR_MS
  const fatigue = new Fatigue({ from: since, to, timeZone })
  let before: number | undefined
  do {
    const part = await askStorage({ kind: 'reportPart', since, before })
    fatigue.add(part)
    before = part.before
  } while (before !== undefined && fatigue.incidents < MAX_INCIDENTS)
  fatigue.addMessages(await askStorage({ kind: 'reportRevisions', since }))
  return { ...fatigue.report(), unused_silences: await unusedSilences(askStorage, to) }
}

function timeZoneIn(query: URLSearchParams): string {
  const given = query.get('time_zone') ?? 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
  } catch {
    throw new CodedError('bad_parameter', 'time_zone must be a time zone such as Europe/Berlin')
  }
}
