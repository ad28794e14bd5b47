import type { Brief } from '../../api/brief.ts'
import { openSimilar } from '../../brief/similar.ts'
import { wordsOf } from '../../brief/words.ts'
import type { Problem } from '../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import type { StoreContext } from '../engine/context.ts'
import { fittingSilences, type LiveSilence } from '../noise/silences/live.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from '../noise/silences/waiting.ts'
import type { StoreParts } from '../parts.ts'
import { type OpeningReads, type OpeningRow, summed } from './reads.ts'
import { cutQuote } from './text.ts'

const AROUND_MS = 10 * 60_000
/** Openings on each side, in the order of their numbers, that are looked at. */
const EACH_SIDE = 500
const COLUMNS = 'id, problem, title, service, opened_at, ended_at'

type Row = Pick<OpeningRow, 'id' | 'problem' | 'title' | 'service' | 'opened_at' | 'ended_at'>

/** Opens the openings around a time: those of the service, and how many other services have. */
export function openNearby({ db }: Pick<StoreContext, 'db'>) {
  const earlier = db.query<Row>(`SELECT ${COLUMNS} FROM openings WHERE id < ? ORDER BY id DESC LIMIT ${EACH_SIDE}`)
  const later = db.query<Row>(`SELECT ${COLUMNS} FROM openings WHERE id > ? ORDER BY id LIMIT ${EACH_SIDE}`)
  const ofService = db.query<Row>(
    `SELECT ${COLUMNS} FROM openings WHERE service = ? AND id < ? ORDER BY id DESC LIMIT ${EACH_SIDE}`,
  )

  return function nearby({ id, service }: Problem, began: number, at: number) {
    const isNear = ({ opened_at }: Row) => Math.abs(opened_at - at) <= AROUND_MS
    const around = [...later.all(began).reverse(), ...earlier.all(began)].filter((row) => row.problem !== id)
    const near = around.filter(isNear)
    const known = new Set(near.map((row) => row.id))
    const open = ofService
      .all(service, began)
      .filter((row) => row.problem !== id && !known.has(row.id) && (row.ended_at === null || row.ended_at > at))
    const openings = [...near.filter((row) => row.service === service), ...open].slice(0, 10)
    const others = new Map<string, number>()
    for (const row of near) if (row.service !== service) others.set(row.service, (others.get(row.service) ?? 0) + 1)
    return {
      openings: openings.map((row) => ({
        problem: row.problem,
        title: cutQuote(row.title),
        service: cutQuote(row.service),
        opened_at: isoTime(row.opened_at),
        ended_at: isoTimeOrNull(row.ended_at),
      })),
      services: [...others]
        .map(([name, count]) => ({ service: cutQuote(name), count }))
        .sort((a, b) => b.count - a.count || (a.service < b.service ? -1 : 1))
        .slice(0, 5),
    } satisfies Partial<NonNullable<Brief['nearby']>>
  }
}

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

/** Rows that memory reads at once. */
const STEP = 1_000

const wordsIn = (blob: Uint8Array): Uint32Array => new Uint32Array(Uint8Array.from(blob).buffer)

/** Opens the openings of other problems that are like one. Memory reads all at the first question, and the new ones at each. */
export function openLikely(
  { db, problems, openings }: Pick<StoreParts, 'db' | 'problems' | 'openings'>,
  reads: OpeningReads,
) {
  const next = db.query<Pick<OpeningRow, 'id' | 'problem' | 'service' | 'words'>>(
    `SELECT id, problem, service, words FROM openings WHERE id > ? AND words IS NOT NULL ORDER BY id LIMIT ${STEP}`,
  )
  let known = openSimilar()
  let through = 0

  async function load(pause: () => Promise<void>): Promise<void> {
    const deleted = openings?.takeDeleted()
    if (deleted === undefined) {
      known = openSimilar()
      through = 0
    }
    for (const id of deleted ?? []) {
      known.remove(id)
      await pause()
    }
    for (;;) {
      const rows = next.all(through)
      for (const { id, problem, service, words } of rows)
        if (words) known.add({ id, problem, service, words: wordsIn(words) })
      through = rows.at(-1)?.id ?? through
      if (rows.length < STEP) return
      await pause()
    }
  }

  return async function likely(
    { problem, opening }: { readonly problem: Problem; readonly opening: OpeningRow | undefined },
    limit: number,
    pause: () => Promise<void>,
  ): Promise<{ readonly similar: Brief['similar']; readonly fingerprints: readonly string[] }> {
    await load(pause)
    const { id, service, title } = problem
    const words = opening?.words ? wordsIn(opening.words) : wordsOf(title, {})
    const steps = known.nearest({ problem: id, service, words }, limit * 2)
    let step = steps.next()
    for (; !step.done; step = steps.next()) await pause()
    const found = step.value.flatMap(({ id: of, score }) => {
      const row = reads.one(of)
      // Retention has deleted it meanwhile.
      return row === undefined || row.fingerprint === problem.fingerprint ? [] : [{ row, score }]
    })
    const similar: Brief['similar'][number][] = []
    for (const { row, score } of found.slice(0, limit)) {
      await pause()
      const all = reads.before(row.fingerprint)
      similar.push({
        problem: problems.numberOf(row.fingerprint) ?? row.problem,
        title: cutQuote(row.title),
        service: cutQuote(row.service),
        score: Math.round(score * 100) / 100,
        count: all.length,
        median_ms: summed(all).median_ms,
        acked_by: all.find(({ acked_by }) => acked_by !== null)?.acked_by ?? null,
        opening: row.id,
      })
    }
    return { fingerprints: found.slice(0, limit).map(({ row }) => row.fingerprint), similar }
  }
}
