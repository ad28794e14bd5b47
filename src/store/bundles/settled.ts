import type { Settlement } from '../../domain/delivery/dispatch.ts'
import type { RevisionResult } from '../../policy/bundles/bundle-state.ts'
import type { BundleRow } from './rows.ts'

/** Places that count against the quota. */
export const untoldOf = ({ bundle: { state, folded, told } }: BundleRow) =>
  state === 'open' || state === 'ending' ? folded - told : 0

/** Returns what a settlement says of the message to edit. */
export function messageAfter(
  row: BundleRow,
  { state }: RevisionResult,
  sent: string | undefined,
): Partial<Pick<BundleRow, 'messageId' | 'firstIncident'>> {
  if (state === 'gone') return { messageId: null, firstIncident: null }
  if (state !== 'told') return {}
  if (row.bundle.sending?.way === 'edit') return { messageId: sent ?? row.messageId }
  // A new message is the one to edit from now on, with the words of the latest incident; of a group, with its own.
  return { messageId: sent ?? null, firstIncident: row.group?.posted ?? null }
}

/** Returns the outcome of a revision. */
export function resultOf({ verdict, attempt }: Settlement, now: number): RevisionResult {
  if (attempt?.outcome === 'gone') return { state: 'gone' }
  switch (verdict.state) {
    case 'sent':
      return { state: 'told' }
    case 'dead':
      return { state: 'dead' }
    case 'released':
      return { state: 'pending', at: now, mayDuplicate: false }
    case 'pending':
      return { state: 'pending', at: verdict.at, mayDuplicate: attempt?.mayDuplicate ?? false }
    default:
      return verdict satisfies never
  }
}
