import type { Problem } from '../../policy/problem.ts'
import { BUNDLE_KIND, DESTINATION_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { withoutNul } from '../engine/statement.ts'
import type { Problems } from '../problems/problems.ts'
import { type Confirmed, openTellingRows, type Telling } from './rows.ts'
import { openHeldSums } from './sums.ts'

interface FirstRow {
  readonly state: number
  readonly bundle: number | null
  readonly message_id: string | null
  /** Of the bundle. */
  readonly kind: number | null
  readonly first_incident: number | null
  readonly dead_reason: string | null
}

interface FirstMessage {
  /** Null: a digest told. */
  readonly incident: number | null
  /** The provider's id; null: it has none yet. */
  readonly messageId: string | null
}

const ON_ITS_WAY: ReadonlySet<number> = new Set([STATE.pending, STATE.sending, STATE.sent, STATE.folded])

/**
 * What destinations know of problems, and what silences hold of them, beyond the incidents: these are deleted by retention, a
 * telling only with its problem. A confirmed message or a hold writes one; what is under way is known by its delivery. Changes
 * inside `write`.
 */
export type Tellings = ReturnType<typeof openTellings>

export function openTellings(context: StoreContext, problems: Pick<Problems, 'numberOf'>) {
  const { db, counts } = context
  const rows = openTellingRows(context)
  const sums = openHeldSums(context)
  const delivery = db.query<FirstRow>(
    `SELECT d.state, d.bundle, d.message_id, b.kind, b.first_incident, b.dead_reason FROM dispatches d LEFT JOIN bundles b ON b.id = d.bundle
     WHERE d.incident = ? AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0`,
  )
  return {
    all: rows.all,
    of: rows.of,
    /** Changes a telling, and with it the sums of the silences that it moves between. */
    put(telling: Telling): void {
      const before = rows.all(telling.problem)
      rows.put(telling)
      const after = rows.all(telling.problem)
      counts.held.deliveries += heldDeliveries(after) - heldDeliveries(before)
      sums.follow(before, after)
    },
    prefetch: rows.prefetch,
    isNew: rows.isNew,
    sums: { find: sums.find, set: sums.set },
    /** Returns the provider's id of the last firing message of a fingerprint, which its resolution replies to. */
    messageId(fingerprint: string, destination: number): string | undefined {
      const problem = problems.numberOf(withoutNul(fingerprint))
      return problem === undefined ? undefined : (rows.of(problem, destination).messageId ?? undefined)
    },
    /** A destination has taken the message of a firing incident. A problem that was deleted meanwhile has no telling. */
    confirmed(fingerprint: string, destination: number, { incident, messageId, isShared }: Confirmed): void {
      const problem = problems.numberOf(fingerprint)
      if (problem === undefined) return
      rows.confirmed(problem, destination, { incident, messageId: withoutNul(messageId), isShared })
    },
    /**
     * Returns the message about a problem that a destination has, or will have: by the delivery of the latest incident, and
     * where there is none, by the telling. Undefined: it knows nothing.
     */
    firstMessage(destination: number, problem: Problem): FirstMessage | undefined {
      const row = delivery.get(problem.lastIncident, destination)
      if (row === undefined) return toldIn(problem, rows.of(problem.id, destination))
      if (!ON_ITS_WAY.has(row.state) || row.dead_reason !== null) return undefined
      if (row.bundle === null) return { incident: problem.lastIncident, messageId: row.message_id }
      return {
        incident: row.kind === BUNDLE_KIND.storm || row.kind === BUNDLE_KIND.group ? null : row.first_incident,
        messageId: null,
      }
    },
    /** Deletes what belongs to these problems. */
    remove: rows.remove,
    flush(): void {
      rows.flush()
      sums.flush()
    },
  }
}

const heldDeliveries = (tellings: readonly Telling[]) =>
  tellings.filter(({ held, destination }) => held !== null && destination !== DESTINATION_CODE.oncall).length

/** Returns what a destination was told since a problem began to fire. */
function toldIn({ opening }: Problem, { told, incident, messageId }: Telling): FirstMessage | undefined {
  if (told < opening) return undefined
  return incident === null || incident < opening ? { incident: null, messageId: null } : { incident, messageId }
}
