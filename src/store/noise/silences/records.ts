import type { HeldCounts, SilenceDetail, SilencePage, SilenceRecord } from '../../../api/noise/silence.ts'
import { destinationName } from '../../../domain/delivery/delivery.ts'
import { conditionsText } from '../../../policy/describe.ts'
import { exactValue } from '../../../policy/matcher.ts'
import type { ConditionSettings } from '../../../policy/route.ts'
import type { ScheduleSettings } from '../../../policy/schedule.ts'
import type { SilenceSettings } from '../../../policy/silences/settings.ts'
import { durationText } from '../../../text/duration.ts'
import { isoTime, isoTimeOrNull } from '../../../text/iso-time.ts'
import { numberIn, pageSize } from '../../incidents/filters.ts'
import type { StoreParts } from '../../parts.ts'
import type { PlainSilence } from '../../ports/silences.ts'
import type { Telling } from '../../tellings/rows.ts'
import type { SilenceFilter } from '../queries/filters.ts'
import { type LiveSilence, QUIET_MS, quietEnd } from './live.ts'
import { SILENCE_COLUMNS, type SilenceRow, type SilenceRows, settingsOf, type WindowAccount } from './rows.ts'
import { openWindows } from './windows.ts'

/** Problems that one answer lists. */
const MAX_PROBLEMS = 500
const MAX_CAUSES = 100
/** Tellings that one answer reads of problems that fire, and of others. */
const MAX_TELLINGS = 2 * MAX_PROBLEMS

interface HeldRow extends Pick<Telling, 'problem' | 'destination' | 'alerts'> {
  readonly last_at: number
}

/** Opens the reads of silences for the API. */
export function openSilenceRecords(context: StoreParts, rows: SilenceRows) {
  const { db, counts, lanes, tellings, problems } = context
  const windowsOf = openWindows(context)
  const ended = db.query<SilenceRow>(
    `SELECT ${SILENCE_COLUMNS} FROM silences WHERE ended_at IS NOT NULL AND origin <> 'cause' ORDER BY ended_at DESC, id DESC LIMIT ? OFFSET ?`,
  )
  const held =
    db.query<HeldRow>(`SELECT problem, destination, alerts, last_at FROM tellings WHERE silence = ? AND held IS NOT NULL
     ORDER BY held DESC, problem DESC LIMIT ${MAX_TELLINGS}`)
  const over =
    db.query<HeldRow>(`SELECT problem, destination, alerts, last_at FROM tellings WHERE silence = ? AND held IS NULL
     ORDER BY problem DESC LIMIT ${MAX_TELLINGS}`)
  const causesOf = db.query<{ problem: number }>(
    `SELECT problem FROM causes WHERE silence = ? ORDER BY problem DESC LIMIT ${MAX_CAUSES}`,
  )
  const allEnded = db.query<SilenceRow>(
    `SELECT ${SILENCE_COLUMNS} FROM silences WHERE ended_at IS NOT NULL AND origin <> 'cause'`,
  )
  const liveOf = (id: number) => counts.silences.find(id)
  const childrenOf = (id: number) => counts.silences.childrenOf(id)
  /** One with `equal` is active while a child is. */
  const isActive = ({ id, window }: LiveSilence) =>
    window !== undefined || childrenOf(id).some((child) => child.window !== undefined)

  function stateOf({ ended_at }: SilenceRow, live: LiveSilence | undefined): SilenceRecord['state'] {
    if (ended_at !== null || live === undefined) return 'ended'
    return isActive(live) ? 'active' : 'scheduled'
  }

  function recordOf(row: SilenceRow): SilenceRecord {
    const settings = settingsOf(row)
    const { conditions, schedule, while: causes, equal, problem, parent, untilResolved, quietMs = QUIET_MS } = settings
    const live = liveOf(row.id)
    return {
      id: row.id,
      name: settings.name,
      state: stateOf(row, live),
      origin: row.origin,
      line: settings.where === '' ? null : settings.where,
      problem: problem?.id ?? null,
      match: matchOf(conditions),
      text: conditionsText({ conditions }),
      while: causes === undefined ? null : matchOf(causes),
      while_text: causes === undefined ? null : `${conditionsText({ conditions: causes })}${equalText(equal)}`,
      equal: equal ?? null,
      parent: parent?.silence ?? null,
      children: childrenOf(row.id).length,
      ...timesOf(row, settings, live),
      schedule: schedule === undefined ? null : scheduleOf(schedule),
      windows: windowsOf(live),
      until: schedule === undefined && causes === undefined ? null : isoTime(settings.endsAt),
      until_resolved: untilResolved,
      quiet_for: untilResolved ? durationText(quietMs) : null,
      quiet_ends_at: live === undefined ? null : isoTimeOrNull(finite(quietEnd(live))),
      owner: settings.owner,
      comment: settings.comment,
      created_at: isoTime(row.created_at),
      ended_at: isoTimeOrNull(row.ended_at),
      ended_by: row.ended_by,
      ...heldOf(row, live),
    }
  }

  function plainOf(row: SilenceRow): PlainSilence {
    const settings = settingsOf(row)
    const live = liveOf(row.id)
    const isCaused = settings.while !== undefined && live?.window !== undefined
    const numbers = isCaused ? causesOf.all(row.id).map(({ problem }) => problem) : []
    return {
      id: row.id,
      origin: row.origin,
      state: stateOf(row, live),
      ...timesOf(row, settings, live),
      settings,
      changedAt: Math.max(row.created_at, settings.asSent?.changedAt ?? 0, row.ended_at ?? 0),
      causes: problems.list(numbers).map(({ fingerprint }) => fingerprint),
    }
  }

  function heldOf(row: SilenceRow, live: LiveSilence | undefined) {
    const last = row.last === null ? null : countsOf(JSON.parse(row.last) as WindowAccount)
    const total = { held: last, held_total: row.held_total, last_held_at: isoTimeOrNull(row.last_held_at) }
    const open = live === undefined ? [] : [live, ...childrenOf(row.id)].filter(({ window }) => window !== undefined)
    if (open.length === 0) return total
    const sums = open.map(({ id }) => tellings.sums.find(id))
    const sumOf = (part: 'alerts' | 'problems' | 'firing' | 'criticals' | 'pages') =>
      sums.reduce((sum, each) => sum + each[part], 0)
    const [alerts, count, firing] = [sumOf('alerts'), sumOf('problems'), sumOf('firing')]
    const account = { alerts, problems: count, resolved: count - firing, firing }
    const from = open.reduce((earliest, { window }) => Math.min(earliest, window?.from ?? earliest), Infinity)
    const lastAt = sums.reduce((latest, each) => Math.max(latest, each.lastAt ?? 0), row.last_held_at ?? 0)
    return {
      held: { ...account, criticals: sumOf('criticals'), pages: sumOf('pages'), from: isoTime(from), to: null },
      held_total: row.held_total + alerts,
      last_held_at: isoTimeOrNull(lastAt === 0 ? null : lastAt),
    }
  }

  function liveRows(state: SilenceFilter['state'], parent: number | undefined): SilenceRow[] {
    return [...counts.silences.all]
      .filter(({ settings }) => settings.parent?.silence === parent)
      .map((live) => ({ id: live.id, active: isActive(live), endsAt: endOf(live) }))
      .filter(({ active }) => state === undefined || active === (state === 'active'))
      .sort((a, b) => Number(b.active) - Number(a.active) || a.endsAt - b.endsAt)
      .flatMap(({ id }) => rows.find(id) ?? [])
  }

  /** Returns the problems that the window of a silence held, and those of its children, the latest first. */
  function problemsOf(silence: number): SilenceDetail['problems'] {
    const numbers = [silence, ...childrenOf(silence).map(({ id }) => id)]
    const found = Map.groupBy(
      numbers.flatMap((id) => [...held.all(id), ...over.all(id)]),
      ({ problem }) => problem,
    )
    const words = new Map(problems.list([...found.keys()]).map((problem) => [problem.id, problem]))
    const all = Array.from(found, ([id, tellings]) => {
      const problem = words.get(id)
      return {
        fingerprint: problem?.fingerprint ?? '',
        title: problem?.title ?? '',
        service: problem?.service ?? '',
        severity: problem?.severity ?? '',
        status: problem?.state ?? 'resolved',
        alerts: Math.max(...tellings.map(({ alerts }) => alerts)),
        incident_id: problem?.lastId ?? '',
        last_at: isoTime(Math.max(...tellings.map(({ last_at }) => last_at))),
        destinations: tellings.map(({ destination }) => laneName(destination)),
      }
    })
    return all.sort((a, b) => b.last_at.localeCompare(a.last_at)).slice(0, MAX_PROBLEMS)
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
    list({ state, parent, limit: given, cursor }: SilenceFilter): SilencePage {
      const [limit, offset] = [pageSize(given), numberIn(cursor, 0)]
      const live = state === 'ended' ? [] : liveRows(state, parent)
      const shown = live.slice(offset, offset + limit + 1)
      const wanted = limit + 1 - shown.length
      const over = state === undefined || state === 'ended' ? ended.all(wanted, Math.max(0, offset - live.length)) : []
      const all = [...shown, ...over]
      const next = all.length > limit ? String(offset + limit) : null
      return { silences: all.slice(0, limit).map(recordOf), next_cursor: next }
    },
    // One with `equal` holds nothing itself: its children do.
    plain: (live: boolean, id?: number): PlainSilence[] =>
      (id === undefined ? [...rows.live(), ...(live ? [] : allEnded.all())] : [rows.find(id) ?? []].flat())
        .map(plainOf)
        .filter(({ settings }) => settings.equal === undefined),
    detail(id: number): SilenceDetail | undefined {
      const row = rows.find(id)
      if (row === undefined) return undefined
      return {
        ...recordOf(row),
        problems: problemsOf(id),
        causes: problems
          .list(causesOf.all(id).map(({ problem }) => problem))
          .sort((a, b) => b.since - a.since || b.id - a.id)
          .map(({ id: problem, fingerprint, title, service, severity, since }) => ({
            ...{ problem, fingerprint, title, service, severity, since: isoTime(since) },
          })),
      }
    },
  }
}

const endOf = ({ window, edgeAt }: LiveSilence) => window?.to ?? edgeAt

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

function equalText(equal: readonly string[] | undefined): string {
  return equal === undefined ? '' : ` with the same ${equal.join(', ')}`
}

const finite = (ms: number) => (Number.isFinite(ms) ? ms : null)

const countsOf = ({ from, to, ...counts }: WindowAccount): HeldCounts => ({
  ...counts,
  from: isoTime(from),
  to: isoTime(to),
})

/** Returns conditions by field. Several negated ones on one field are one; of others on one field the last is shown. */
function matchOf(conditions: readonly ConditionSettings[]): SilenceRecord['match'] {
  const found = new Map<string, readonly string[]>()
  for (const { field, values: given, exact } of conditions) {
    const values = exact ? given.map(exactValue) : given
    const earlier = found.get(field) ?? []
    const isOne = [...earlier, ...values].every((value) => value.startsWith('!'))
    found.set(field, isOne ? [...earlier, ...values] : values)
  }
  return Object.fromEntries(
    Array.from(found, ([field, values]) => [field, values.length === 1 ? (values[0] ?? '') : values]),
  )
}

/** Returns a schedule as a configuration says it. */
function scheduleOf(schedule: ScheduleSettings): SilenceRecord['schedule'] {
  return schedule.map(({ cron, rrule, start, forMs, timeZone }) => ({
    ...(cron === undefined ? undefined : { cron }),
    ...(rrule === undefined ? undefined : { rrule }),
    ...(start === undefined ? undefined : { start }),
    for: durationText(forMs),
    time_zone: timeZone,
  }))
}
