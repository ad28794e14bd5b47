import { z } from 'zod'
import type { SilenceSettings } from '../../policy/silences/settings.ts'
import { silenceFault, UNTIL_RESOLVED_MS } from '../../policy/silences/silence.ts'
import { flag, requiredDuration, text } from '../../settings/fields.ts'
import { match, name, windows } from './routes.ts'

const MAX_SILENCES = 1_000

const NOT_A_TIME = 'must be a time such as 2027-06-30T02:00Z or 2027-06-30T04:00+02:00, or a date'
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

function moment(written: string, ctx: z.RefinementCtx): number | undefined {
  if (written === '') return undefined
  const ms = TIME.test(written) ? Date.parse(written) : Number.NaN
  if (!Number.isNaN(ms)) return ms
  ctx.addIssue({ code: 'custom', message: NOT_A_TIME })
  return z.NEVER
}

const written = z.string({ error: NOT_A_TIME }).trim()
/** A moment, in epoch milliseconds; a date means its first moment in UTC. Absent: undefined. */
const time = written.transform(moment).prefault('')
const timeOrResolved = written.transform((text, ctx) => (text === 'resolved' ? text : moment(text, ctx))).prefault('')

const silence = z
  .object({
    name,
    match,
    starts_at: time,
    ends_at: time,
    schedule: z.array(windows, { error: 'must be a list' }).default([]),
    until: timeOrResolved,
    quiet_for: requiredDuration(1).optional(),
    max: requiredDuration(1).optional(),
    while: z
      .object(
        { match, equal: z.array(z.string().trim(), { error: 'must be a list of names of labels' }).default([]) },
        { error: 'must be a map with a match' },
      )
      .prefault({}),
    until_resolved: flag(false),
    owner: text(),
    comment: text(),
  })
  .transform(
    (
      { name, match, schedule, until_resolved, quiet_for, owner, comment, while: { match: causes, equal }, ...times },
      ctx,
    ) => {
      const { starts_at = 0, max = UNTIL_RESOLVED_MS } = times
      const recurs = schedule.length > 0 || causes.length > 0
      const end = times.until === 'resolved' ? starts_at + max : recurs ? times.until : times.ends_at
      const settings: SilenceSettings = {
        name,
        owner,
        comment,
        where: '',
        conditions: match,
        untilResolved: times.until === 'resolved' || until_resolved,
        startsAt: starts_at,
        endsAt: end ?? 0,
        ...(quiet_for !== undefined && { quietMs: quiet_for }),
        ...(schedule.length > 0 && { schedule }),
        ...(causes.length > 0 && { while: causes }),
        ...(equal.length > 0 && { equal }),
      }
      const fault = missing({ ...times, recurs }) ?? silenceFault(settings, Date.now())
      if (fault !== undefined) ctx.addIssue({ code: 'custom', path: fault.part.split('.'), message: fault.message })
      return settings
    },
  )

interface Times {
  readonly starts_at: number | undefined
  readonly ends_at: number | undefined
  /** It has a schedule, or causes. */
  readonly recurs: boolean
  readonly until: number | 'resolved' | undefined
  readonly max?: number | undefined
}

/** Returns the first time that is missing or not wanted. */
function missing({ starts_at, ends_at, recurs, until, max }: Times) {
  if (max !== undefined && until !== 'resolved') return { part: 'max', message: 'belongs to "until: resolved"' }
  if (!recurs) {
    if (until !== undefined && until !== 'resolved')
      return { part: 'until', message: 'is for a silence with a "schedule" or a "while": write ends_at' }
    if (starts_at === undefined)
      return { part: 'starts_at', message: 'is missing; a recurring silence has a "schedule"' }
    if (until === 'resolved')
      return ends_at === undefined
        ? undefined
        : { part: 'ends_at', message: 'has no place beside "until: resolved": write max' }
    return ends_at === undefined ? { part: 'ends_at', message: 'is missing' } : undefined
  }
  if (ends_at !== undefined)
    return { part: 'ends_at', message: 'has no place beside a "schedule" or a "while": write until' }
  return until === undefined
    ? { part: 'until', message: 'is missing: a silence ends, after a year at most' }
    : undefined
}

/** `silences`: places in the file are filled in by `completed`. */
export const silences = z.array(silence, { error: 'must be a list' }).max(MAX_SILENCES).default([])
