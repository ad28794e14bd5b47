import type { HeldCounts, SilenceDetail, SilencePage, SilenceRecord } from '../../../api/noise/silence.ts'
import { destinationName } from '../../../domain/delivery.ts'
import { CodedError } from '../../../domain/errors.ts'
import type { Status } from '../../../domain/incident.ts'
import { conditionsText } from '../../../policy/describe.ts'
import type { ConditionSettings } from '../../../policy/route.ts'
import type { ScheduleSettings } from '../../../policy/schedule.ts'
import type { SilenceSettings } from '../../../policy/silences/settings.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import type { StoreContext } from '../../engine/context.ts'
import { query } from '../../engine/statement.ts'
import { pageSize } from '../../incidents/filters.ts'
import type { SilenceFilter } from '../queries/filters.ts'
import type { Holds } from './holds.ts'
import type { LiveSilence } from './live.ts'
import { SILENCE_COLUMNS, type SilenceRow, type SilenceRows, settingsOf, type WindowAccount } from './rows.ts'
import { openWindows } from './windows.ts'

/** Problems that one answer lists. */
const MAX_PROBLEMS = 500
const MAX_CAUSES = 100

interface ProblemRow {
  readonly fingerprint: string
  readonly title: string | null
  readonly service: string | null
  readonly severity: string | null
  readonly status: Status | null
  readonly alerts: number
  readonly id: string | null
  readonly last_at: number
  readonly destinations: string
}

interface CauseRow extends Pick<SilenceDetail['causes'][number], 'fingerprint' | 'title' | 'service' | 'severity'> {
  readonly id: number
  readonly since: number
}

interface RecordDeps {
  readonly rows: Pick<SilenceRows, 'find'>
  readonly holds: Pick<Holds, 'account'>
}

/** Opens the reads of silences for the API. */
export function openSilenceRecords(context: StoreContext, { rows, holds }: RecordDeps) {
  const { db, counts, lanes } = context
  const windowsOf = openWindows(context)
  const ended = query<SilenceRow>(
    db,
    `SELECT ${SILENCE_COLUMNS} FROM silences WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT ? OFFSET ?`,
  )
  const problems = query<ProblemRow>(
    db,
    `SELECT h.fingerprint, i.title, i.service, i.severity, i.status, h.alerts, i.id, h.last_at, h.destinations
     FROM (SELECT fingerprint, max(alerts) AS alerts, max(last) AS last, max(last_at) AS last_at,
         string_agg(cast(destination AS TEXT), ',') AS destinations
       FROM holds WHERE silence = ? GROUP BY fingerprint ORDER BY max(last_at) DESC LIMIT ${MAX_PROBLEMS}) h
       LEFT JOIN incidents i ON i.seq = h.last ORDER BY h.last_at DESC`,
  )
  const causesOf = query<CauseRow>(
    db,
    `SELECT p.id, p.fingerprint, p.title, p.service, p.severity, p.since FROM causes c JOIN problems p ON p.fingerprint = c.fingerprint
     WHERE c.silence = ? ORDER BY p.since DESC, p.id DESC LIMIT ${MAX_CAUSES}`,
  )
  const liveOf = (id: number) => counts.silences.all.find((live) => live.id === id)

  function recordOf(row: SilenceRow): SilenceRecord {
    const settings = settingsOf(row)
    const { name, where, conditions, schedule, endsAt, untilResolved, owner, comment, while: causes } = settings
    const live = liveOf(row.id)
    return {
      id: row.id,
      name,
      state: stateOf(row, live),
      origin: row.origin,
      line: where === '' ? null : where,
      match: matchOf(conditions),
      text: conditionsText({ conditions }),
      while: causes === undefined ? null : matchOf(causes),
      while_text: causes === undefined ? null : conditionsText({ conditions: causes }),
      ...timesOf(row, settings, live),
      schedule: schedule === undefined ? null : scheduleOf(schedule),
      windows: windowsOf(live),
      until: schedule === undefined && causes === undefined ? null : isoTime(endsAt),
      until_resolved: untilResolved,
      owner,
      comment,
      created_at: isoTime(row.created_at),
      ended_at: isoTimeOrNull(row.ended_at),
      ended_by: row.ended_by,
      ...heldOf(row, live),
    }
  }

  function heldOf(row: SilenceRow, live: LiveSilence | undefined) {
    const last = row.last === null ? null : countsOf(JSON.parse(row.last) as WindowAccount)
    const total = { held: last, held_total: row.held_total, last_held_at: isoTimeOrNull(row.last_held_at) }
    if (live?.window === undefined) return total
    const { lastAt, ...account } = holds.account(live.id)
    return {
      held: { ...account, from: isoTime(live.window.from), to: null },
      held_total: row.held_total + account.alerts,
      last_held_at: isoTimeOrNull(lastAt ?? row.last_held_at),
    }
  }

  function liveRows(state: SilenceFilter['state']): SilenceRow[] {
    return [...counts.silences.all]
      .filter(({ window }) => state === undefined || (window !== undefined) === (state === 'active'))
      .sort((a, b) => Number(b.window !== undefined) - Number(a.window !== undefined) || endOf(a) - endOf(b))
      .flatMap(({ id }) => rows.find(id) ?? [])
  }

  const laneName = (code: number) => {
    const { destination, target } = lanes.of(code)
    return destinationName({ channel: destination, target })
  }

  return {
    record(id: number): SilenceRecord | undefined {
      const row = rows.find(id)
      return row === undefined ? undefined : recordOf(row)
    },
    list({ state, limit: given, cursor }: SilenceFilter): SilencePage {
      const [limit, offset] = [pageSize(given), offsetOf(cursor)]
      const live = state === 'ended' ? [] : liveRows(state)
      const shown = live.slice(offset, offset + limit + 1)
      const wanted = limit + 1 - shown.length
      const over = state === undefined || state === 'ended' ? ended.all(wanted, Math.max(0, offset - live.length)) : []
      const all = [...shown, ...over]
      const next = all.length > limit ? String(offset + limit) : null
      return { silences: all.slice(0, limit).map(recordOf), next_cursor: next }
    },
    detail(id: number): SilenceDetail | undefined {
      const row = rows.find(id)
      if (row === undefined) return undefined
      return {
        ...recordOf(row),
        problems: problems.all(id).map((problem) => ({
          fingerprint: problem.fingerprint,
          title: problem.title ?? '',
          service: problem.service ?? '',
          severity: problem.severity ?? '',
          status: problem.status ?? 'resolved',
          alerts: problem.alerts,
          incident_id: problem.id ?? '',
          last_at: isoTime(problem.last_at),
          destinations: problem.destinations.split(',').map((code) => laneName(Number(code))),
        })),
        causes: causesOf
          .all(id)
          .map(({ id: problem, since, ...cause }) => ({ problem, ...cause, since: isoTime(since) })),
      }
    },
  }
}

const endOf = ({ window, edgeAt }: LiveSilence) => window?.to ?? edgeAt

function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^\d{1,9}$/.test(cursor)) throw new CodedError('bad_parameter', 'cursor must be the next_cursor of an answer')
  return Number(cursor)
}

function stateOf({ ended_at }: SilenceRow, live: LiveSilence | undefined): SilenceRecord['state'] {
  if (ended_at !== null || live === undefined) return 'ended'
  return live.window === undefined ? 'scheduled' : 'active'
}

function timesOf(
  row: SilenceRow,
  { schedule, startsAt, endsAt, while: causes }: SilenceSettings,
  live: LiveSilence | undefined,
) {
  if (causes !== undefined) {
    const begin = live?.window?.from ?? Math.max(startsAt, row.created_at)
    return { starts_at: isoTime(begin), ends_at: isoTimeOrNull(row.ended_at) }
  }
  if (schedule === undefined) {
    const end = row.ended_at === null ? endsAt : Math.min(endsAt, row.ended_at)
    return { starts_at: isoTime(startsAt), ends_at: isoTime(Math.max(startsAt, end)) }
  }
  if (live?.window !== undefined) return { starts_at: isoTime(live.window.from), ends_at: isoTime(live.window.to) }
  if (live !== undefined && live.edgeAt < Infinity)
    return {
      starts_at: isoTime(live.edgeAt),
      ends_at: isoTimeOrNull(finite(live.compiled.windowAt(live.edgeAt).until)),
    }
  const last = row.last === null ? undefined : (JSON.parse(row.last) as WindowAccount)
  return { starts_at: isoTime(last?.from ?? row.created_at), ends_at: isoTimeOrNull(last?.to) }
}

const finite = (ms: number) => (Number.isFinite(ms) ? ms : null)

const countsOf = ({ from, to, ...counts }: WindowAccount): HeldCounts => ({
  ...counts,
  from: isoTime(from),
  to: isoTime(to),
})

function matchOf(conditions: readonly ConditionSettings[]): SilenceRecord['match'] {
  return Object.fromEntries(
    conditions.map(({ field, values }) => [field, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

function scheduleOf(schedule: ScheduleSettings): SilenceRecord['schedule'] {
  return schedule.map(({ cron, rrule, start, forMs, timeZone }) => ({
    ...(cron === undefined ? undefined : { cron }),
    ...(rrule === undefined ? undefined : { rrule }),
    ...(start === undefined ? undefined : { start }),
    for: durationText(forMs),
    time_zone: timeZone,
  }))
}

/** Returns a time as a configuration says it: `1h30m`. */
function durationText(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return `${hours > 0 ? `${hours}h` : ''}${rest > 0 || hours === 0 ? `${rest}m` : ''}`
}
