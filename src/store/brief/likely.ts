import type { Brief } from '../../api/brief.ts'
import { openSimilar } from '../../brief/similar.ts'
import { wordsOf } from '../../brief/words.ts'
import type { Problem } from '../../policy/problem.ts'
import type { StoreParts } from '../parts.ts'
import { type OpeningReads, type OpeningRow, summed } from './reads.ts'
import { cutQuote } from './text.ts'

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
