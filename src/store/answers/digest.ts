import type { Answer } from '../../domain/answer.ts'
import { isTaken } from '../../policy/repeat.ts'
import { LEDGER_OFFSET } from '../bundles/records.ts'
import { BUNDLE_KIND, KIND } from '../engine/column-codes.ts'
import { withoutNul } from '../engine/statement.ts'
import type { OncallChange } from '../ports/oncall.ts'
import { FEW_STEPS } from './copies.ts'
import type { AnswerParts } from './parts.ts'
import type { AnswerRow } from './rows.ts'
import { isSuperseded } from './superseded.ts'

/** An incident that a digest told of. */
interface Told {
  readonly place: number
  readonly problem: number
  readonly seq: number
  readonly committed_at: number
}

/** Places of a digest, in order, that a walk has before it. */
export type Walk = Pick<AnswerRow, 'next_place' | 'through'>

interface Step {
  readonly digest: number
  readonly by: Pick<AnswerRow, 'via' | 'person' | 'actor' | 'actor_id' | 'place'>
  readonly from: number
  readonly through: number
}

/** Problems that the press acknowledges, and each turn after it; and places that these look at. */
const ACKNOWLEDGED = 64
const LOOKED_AT = 512

/** Opens what `acknowledge_all` does: a walk along the places that the pressed revision told of, in steps. Inside `write`. */
export function openDigestAnswers(parts: AnswerParts) {
  const { db, counts, now, problems, bundles, rows, incidents, actions, copies } = parts
  const find = db.query<object>('SELECT 1 FROM bundles WHERE id = ?')
  const first =
    db.query<Told>(`SELECT 1 AS place, i.problem, i.seq, i.committed_at FROM bundles b CROSS JOIN incidents i
     WHERE b.id = ? AND b.kind = ${BUNDLE_KIND.group} AND i.seq = b.first_incident`)
  const closed = db.query<{ destination: number; message_id: string; incident: number | null }>(
    `SELECT b.destination, b.message_id,
       (SELECT d.incident FROM dispatches d WHERE d.bundle = b.id ORDER BY d.place LIMIT 1) AS incident
     FROM bundles b WHERE b.id = ? AND b.kind = ${BUNDLE_KIND.storm} AND b.message_id IS NOT NULL`,
  )
  const sent = db.query<object>(
    `SELECT 1 FROM attempts WHERE incident = ${LEDGER_OFFSET} - ? AND message_id = ? LIMIT 1`,
  )
  const revisions = db.query<{ through: number }>(
    'SELECT through FROM revisions WHERE bundle = ? AND number <= ? ORDER BY number DESC LIMIT 1',
  )
  const places =
    db.query<Told>(`SELECT d.place, i.problem, i.seq, i.committed_at FROM dispatches d CROSS JOIN incidents i
     WHERE d.bundle = ? AND d.place >= ? AND d.place <= ? AND d.kind = ${KIND.delivery} AND i.seq = d.incident
     ORDER BY d.place LIMIT ${LOOKED_AT}`)

  /** A revision that is with the sender may have been read, unless an earlier one of its number may have arrived. */
  function throughOf(digest: number, revision: number): number {
    const { sending, mayRepeat, revision: last } = bundles.rows.find(digest)?.bundle ?? { revision: 0 }
    if (sending !== undefined && last + 1 === revision && !mayRepeat) return sending.through
    return revisions.get(digest, revision)?.through ?? 0
  }

  /** Returns undefined for a problem that does not fire, fires again since then, or is acknowledged and does not ask again. */
  function acknowledge(told: Told, { digest, by, through }: Step): readonly OncallChange[] | undefined {
    const problem = problems.numbered(told.problem)
    if (problem?.state !== 'firing' || isSuperseded(problem, told)) return undefined
    if (isTaken(problem) && !incidents.asksAgain(problem.id)) return undefined
    const oncall = actions.acknowledge(problem.id, by.actor)
    rows.add({
      ...{ ...by, at: now(), action: 'acknowledge_all', minutes: null, problem: problem.id, incident: null, digest },
      ...{ result: 'done', silence: null, next_place: null, through },
    })
    copies.changed(problems.numbered(problem.id), FEW_STEPS)
    return oncall ?? []
  }

  /** No revision of a storm that is over follows: its message gets one more edit, as long as its incidents are stored. */
  function changedAfterwards(digest: number): void {
    const found = closed.get(digest)
    if (found !== undefined && found.incident !== null)
      copies.digestChanged(digest, { ...found, incident: found.incident })
  }

  function step(of: Step, first: readonly Told[] = []) {
    const { digest, from, through } = of
    problems.flush()
    const found = places.all(digest, from, through)
    const oncall: OncallChange[] = []
    let acknowledged = 0
    let next = found.length < LOOKED_AT ? through + 1 : from
    for (const told of [...first, ...found]) {
      const changes = acknowledge(told, of)
      if (changes !== undefined) acknowledged++
      oncall.push(...(changes ?? []))
      next = Math.max(next, told.place + 1)
      if (acknowledged < ACKNOWLEDGED) continue
      next = told.place + 1
      break
    }
    const next_place = next > through ? null : next
    if (next_place === null && !bundles.changed(digest)) changedAfterwards(digest)
    return { acknowledged, oncall, next_place }
  }

  counts.walking =
    db.query<{ walks: number }>('SELECT count(*) AS walks FROM answers WHERE next_place IS NOT NULL').get()?.walks ?? 0

  return {
    press(answer: Answer, digest: number, revision: number) {
      const { via, person = null, actor, actorId: actor_id, place, copy, mustBeCopy } = answer
      const by = { via, person, actor, actor_id, place }
      const nothing = { oncall: [], walk: { next_place: null, through: null } }
      if (find.get(digest) === undefined) return { result: 'unknown', ...nothing } as const
      if (mustBeCopy && (copy === undefined || sent.get(digest, withoutNul(copy.messageId)) === undefined))
        return { result: 'wrong_chat', ...nothing } as const
      const through = throughOf(digest, revision)
      const { acknowledged, oncall, next_place } = step({ digest, by, from: 1, through }, first.all(digest))
      if (next_place !== null) counts.walking++
      const result = acknowledged > 0 || next_place !== null ? 'done' : 'already'
      return { result, oncall, walk: { next_place, through } } as const
    },
    /** Goes on with a walk, if there is any. */
    next(): readonly OncallChange[] {
      if (counts.walking === 0) return []
      const row = rows.walking()
      if (row?.digest == null || row.next_place === null) {
        counts.walking = 0
        return []
      }
      const { digest, via, person, actor, actor_id, place, next_place: from, through } = row
      const by = { via, person, actor, actor_id, place }
      const { oncall, next_place } = step({ digest, by, from, through: through ?? 0 })
      rows.walked(row.id, next_place)
      if (next_place === null) counts.walking--
      return oncall
    },
  }
}
