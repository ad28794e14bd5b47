import { STATE } from '../../engine/column-codes.ts'
import type { openDelivery } from '../../outbox/due.ts'
import type { RepeatBundle } from './rows.ts'

/** The message that a revision replaces. */
export interface Edited {
  readonly messageId: string
  /** Null: it has the words of the latest incident. */
  readonly incident: number | null
}

/** Opens the look for the message of a bundle: 'wait' while it may still come, 'dead' when it never will. */
export const openMessageOf = (delivery: ReturnType<typeof openDelivery>) =>
  function messageOf(bundle: RepeatBundle): Edited | 'wait' | 'dead' | undefined {
    const { first_incident: incident, message_id: known, destination } = bundle
    if (known !== null) return { messageId: known, incident }
    const first = incident === null ? undefined : delivery.get(incident, destination)
    if (first === undefined) return undefined
    const { state, message_id: messageId } = first
    if (state === STATE.pending || state === STATE.sending || state === STATE.held) return 'wait'
    if (state === STATE.dead || state === STATE.skipped) return 'dead'
    return messageId === null ? undefined : { messageId, incident }
  }
