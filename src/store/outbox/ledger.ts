import type { Attempt } from '../../domain/delivery/delivery.ts'
import type { Settlement } from '../../domain/delivery/dispatch.ts'
import { LEDGER_OFFSET } from '../bundles/records.ts'
import { DESTINATION_CODE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { withoutNul } from '../engine/statement.ts'

/**
 * The ledger: one row for each attempt of every dispatch, by incident, destination and number. Attempts of pages and
 * follow-ups of an incident are numbered together, under the code of the on-call provider. Attempts of a notice are
 * under its number, negated, and those of a digest below `LEDGER_OFFSET`, since no incident has a negative one.
 *
 * Inside `write`.
 */
export function openLedger({ db }: Pick<StoreContext, 'db'>) {
  const insert = db.command(
    `INSERT INTO attempts (incident, channel, number, started_at, duration_ms, outcome, detail, message_id, may_duplicate,
       render_fault, render_ms, limiter_wait_ms, text, handed_out_at, connected_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const made = db.query<{ attempts: number }>(
    `SELECT count(*) AS attempts FROM attempts WHERE incident = ? AND channel = ${DESTINATION_CODE.oncall}`,
  )
  return {
    /**
     * Adds the settlement's attempt, if there was one. `number`: 1-based, over all attempts of the delivery or notice,
     * those before a replay included; without it the attempt is numbered after the last one of pages and follow-ups.
     */
    record(settlement: Settlement, number: number = (made.get(settlement.incident)?.attempts ?? 0) + 1): void {
      const { attempt, verdict } = settlement
      if (attempt === undefined) return
      const [incident, channel] = placeOf(settlement)
      insert.run(
        ...[incident, channel, number, attempt.startedAt, attempt.durationMs, attempt.outcome],
        ...[withoutNul(detailOf(settlement, attempt)), textOrNull(attempt.messageId), attempt.mayDuplicate ? 1 : 0],
        ...[textOrNull(attempt.renderFailure), attempt.renderMs, attempt.limiterWaitMs],
        // The text of the attempt that finished a delivery or notice, not of every retry.
        verdict.state === 'pending' || settlement.kind === 'follow-up' ? null : textOrNull(settlement.text),
        attempt.dispatchedAt,
        attempt.connectedMs ?? null,
      )
    },
  }
}

function placeOf({ kind, code, incident, number }: Settlement): readonly [incident: number, channel: number] {
  switch (kind) {
    case 'delivery':
      return [incident, code]
    case 'notice':
      return [-number, code]
    case 'digest':
      return [LEDGER_OFFSET - number, code]
    case 'follow-up':
    case 'page':
      return [incident, DESTINATION_CODE.oncall]
    default:
      return kind satisfies never
  }
}

function detailOf({ kind, number, destination }: Settlement, { detail }: Attempt): string {
  if (kind !== 'follow-up') return detail
  const did = number <= 0 ? `edited the ${destination} message` : `wrote to the ${destination} thread`
  return `${did}${detail && `: ${detail}`}`
}

export const textOrNull = (text: string | undefined) => (text === undefined ? null : withoutNul(text))
