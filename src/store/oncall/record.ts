import type { Phase, Signal } from '../../domain/escalation.ts'
import { phaseName, signalName } from '../engine/column-codes.ts'
import type { OncallRow } from './rows.ts'

/** Where an incident stands with the on-call person, as the admin API shows it; times are ISO 8601. */
export interface OncallRecord {
  readonly state: Phase
  readonly due_at: string
  /** Who was told; null: nobody yet. */
  readonly provider: string | null
  readonly dedup_key: string
  readonly paged_at: string | null
  /** How long after its time the page was taken. */
  readonly late_ms: number | null
  /** What the provider is to be told next; null: it knows all. */
  readonly next_signal: Signal | null
  readonly next_attempt_at: string | null
}

export function oncallRecord(row: OncallRow): OncallRecord {
  const { paged_at, due_at, signal, next_at } = row
  return {
    state: phaseName(row.phase),
    due_at: iso(due_at),
    provider: row.provider,
    dedup_key: row.fingerprint,
    paged_at: paged_at === null ? null : iso(paged_at),
    late_ms: paged_at === null ? null : Math.max(0, paged_at - due_at),
    next_signal: signal === null ? null : signalName(signal),
    next_attempt_at: next_at === null ? null : iso(next_at),
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
