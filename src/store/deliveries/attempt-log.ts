import type { DatabaseSync } from 'node:sqlite'
import type { Attempt } from '../../domain/delivery.ts'
import { command, withoutNul } from '../engine/statement.ts'

interface AttemptEntry {
  readonly incident: number
  /** Code of the channel, or `PAGER_CODE`. */
  readonly channel: number
  /** 1-based, over all attempts of the delivery, those before a replay included. */
  readonly number: number
  /** Text that was sent; kept for the attempt that finished a delivery, not for every retry. */
  readonly text?: string | undefined
}

/** Opens the ledger: one row for each attempt. Inside `write`. */
export function openAttemptLog(db: DatabaseSync) {
  const insert = command(
    db,
    `INSERT INTO attempts (incident, channel, number, started_at, duration_ms, outcome, detail, message_id, may_duplicate,
       render_fault, render_ms, limiter_wait_ms, text, handed_out_at, connected_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return function record({ incident, channel, number, text }: AttemptEntry, attempt: Attempt): void {
    insert.run(
      incident,
      channel,
      number,
      attempt.startedAt,
      attempt.durationMs,
      attempt.outcome,
      withoutNul(attempt.detail),
      textOrNull(attempt.messageId),
      attempt.mayDuplicate ? 1 : 0,
      textOrNull(attempt.renderFailure),
      attempt.renderMs,
      attempt.limiterWaitMs,
      textOrNull(text),
      attempt.dispatchedAt,
      attempt.connectedMs ?? null,
    )
  }
}

export type RecordAttempt = ReturnType<typeof openAttemptLog>

export const textOrNull = (text: string | undefined) => (text === undefined ? null : withoutNul(text))
