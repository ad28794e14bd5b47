import type { Brief } from '../../api/brief.ts'
import type { Problem } from '../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import { fittingSilences, type LiveSilence } from '../noise/silences/live.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from '../noise/silences/waiting.ts'
import type { StoreParts } from '../parts.ts'
import { cutQuote } from './text.ts'

const SOON_MS = 24 * 3_600_000
/** Silences to come that are compared. */
const COMPARED = 100

/** Opens the silences that hold a problem, would hold its newest incident, or begin within 24 hours. */
export function openHeldBy({ db, counts, now, payloads }: StoreParts) {
  const newest = db.query<SubjectRow>(`SELECT ${SUBJECT_COLUMNS} FROM incidents i WHERE i.seq = ?`)
  const holding = db.query<{ silence: number }>(
    'SELECT silence FROM tellings WHERE problem = ? AND held IS NOT NULL AND silence IS NOT NULL LIMIT 100',
  )

  return function heldBy({ id, lastIncident }: Problem): Brief['silences'] {
    const { silences } = counts
    const row = newest.get(lastIncident)
    const subject = row && subjectOf(row, payloads)
    if (silences.all.length === 0 || subject === undefined) return []
    const holds = new Set(holding.all(id).map(({ silence }) => silence))
    const active = fittingSilences(silences, subject)
    const begins = silences.all
      .slice(0, COMPARED)
      .filter(({ window, compiled }) => window === undefined && compiled.fits(subject))
      .map((live) => ({ live, at: live.compiled.windowAt(now()).until }))
      .filter(({ at }) => at <= now() + SOON_MS)
    const recordOf = ({ id, settings }: LiveSilence) => ({ id, comment: cutQuote(settings.comment || settings.name) })
    return [
      ...active.map((live) => ({
        ...recordOf(live),
        state: holds.has(live.id) ? ('holds' as const) : ('would_hold' as const),
        starts_at: isoTime(live.window?.from ?? now()),
        ends_at: isoTimeOrNull(endOf(live.window?.to)),
      })),
      ...begins.map(({ live, at }) => ({
        ...{ ...recordOf(live), state: 'begins' as const, starts_at: isoTime(at) },
        ends_at: isoTimeOrNull(endOf(live.compiled.windowAt(at).until)),
      })),
    ].slice(0, 5)
  }
}

/** One without an end has a time that no date has. */
const endOf = (at: number | undefined) => (at === undefined || at > 8.64e15 ? null : at)
