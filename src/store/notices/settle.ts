import type { Settlement } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { NOTICE_SUBJECTS, type NoticeSubject } from '../../domain/notice.ts'
import type { RecordAttempt } from '../deliveries/attempt-log.ts'
import { recordAttemptHealth } from '../deliveries/channel-health.ts'
import { CHANNEL_CODE, STATE, subjectName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import { noticeId } from './dispatch-number.ts'

/** Attempts before a notice is dead; each may go through another channel. */
const MAX_ATTEMPTS = 20
const RETRY_MS = 10_000
/** Notices that ended and are kept. */
const MAX_KEPT = 100

interface SendingRow {
  readonly about: number
  readonly attempts: number
  readonly may_duplicate: number
}

interface SettleNoticeDeps {
  readonly record: RecordAttempt
  /** Called after pending notices about the subject have changed. */
  refreshNextDue(about: NoticeSubject): void
}

/** The end of a notice's lease. Inside `write`. */
export interface NoticeSettlement {
  /** Returns false when the notice is not leased to this channel. */
  settle(settlement: Settlement): boolean
  /** Makes pending again what the channel's sender held when it died. */
  reclaim(via: ChannelName): void
}

export function openSettleNotices(
  { db, counts, now }: StoreContext,
  { refreshNextDue, record }: SettleNoticeDeps,
): NoticeSettlement {
  const sending = query<SendingRow>(
    db,
    `SELECT about, attempts, may_duplicate FROM notices WHERE id = ? AND via = ? AND state = ${STATE.sending}`,
  )
  const move = command(
    db,
    'UPDATE notices SET state = ?, due_at = ?, attempts = ?, may_duplicate = ?, ended_at = ? WHERE id = ?',
  )
  const reclaim = command(
    db,
    `UPDATE notices SET state = ${STATE.pending}, may_duplicate = 1 WHERE via = ? AND state = ${STATE.sending}`,
  )
  const prune = openPrune(db)

  function stateAfter({ verdict }: Settlement, attempts: number): 'sent' | 'pending' | 'dead' {
    if (verdict.state === 'sent') return 'sent'
    return verdict.state === 'dead' && attempts >= MAX_ATTEMPTS ? 'dead' : 'pending'
  }

  return {
    settle(settlement) {
      const { incident, channel, attempt, verdict } = settlement
      const id = noticeId(incident)
      const row = sending.get(id, CHANNEL_CODE[channel])
      if (row === undefined) return false
      const attempts = row.attempts + (attempt === undefined ? 0 : 1)
      const state = stateAfter(settlement, attempts)
      const dueAt = verdict.state === 'pending' ? verdict.at : now() + (verdict.state === 'dead' ? RETRY_MS : 0)
      const mayDuplicate = row.may_duplicate === 1 || attempt?.mayDuplicate === true ? 1 : 0
      move.run(STATE[state], dueAt, attempts, mayDuplicate, state === 'pending' ? null : now(), id)
      if (attempt !== undefined) {
        const text = state === 'pending' ? undefined : settlement.text
        record({ incident, channel: CHANNEL_CODE[channel], number: attempts, text }, attempt)
        recordAttemptHealth(counts.health[channel], attempt, null)
      }
      if (state !== 'pending') prune()
      refreshNextDue(subjectName(row.about))
      return true
    },
    reclaim(via) {
      if (reclaim.run(CHANNEL_CODE[via]).changes > 0) for (const about of NOTICE_SUBJECTS) refreshNextDue(about)
    },
  }
}

function openPrune(db: StoreContext['db']): () => void {
  const old = `id <= (SELECT max(id) FROM notices) - ${MAX_KEPT} AND state NOT IN (${STATE.pending}, ${STATE.sending})`
  const lines = command(db, `DELETE FROM attempts WHERE incident IN (SELECT -id FROM notices WHERE ${old})`)
  const notices = command(db, `DELETE FROM notices WHERE ${old}`)
  return () => {
    lines.run()
    notices.run()
  }
}
