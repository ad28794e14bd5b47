import type { OncallRecord } from '../../api/oncall.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import { phaseName } from '../engine/column-codes.ts'
import type { OncallRow } from './rows.ts'

export function oncallRecord(row: OncallRow): OncallRecord {
  const { paged_at, due_at, signal, next_at } = row
  return {
    state: phaseName(row.phase),
    due_at: isoTime(due_at),
    provider: row.provider,
    dedup_key: row.fingerprint,
    paged_at: isoTimeOrNull(paged_at),
    late_ms: paged_at === null ? null : Math.max(0, paged_at - due_at),
    next_signal: signal,
    next_attempt_at: isoTimeOrNull(next_at),
  }
}
