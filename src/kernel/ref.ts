import { CreditWindow } from './credit.ts'
import type { Mailbox } from './mailbox.ts'

/** Sends messages to one actor, on this thread or another. */
export interface Ref<M> {
  /**
   * Returns false, and does not send the message, when there is no room.
   * @param transfer buffers inside the message that are moved when the actor is on another thread
   */
  tell(message: M, transfer?: readonly ArrayBuffer[]): boolean
  /** Number of tells that would be sent now. */
  readonly room: number
  /** Calls `resume` once, as soon as there is room, perhaps at once. */
  whenRoom(resume: () => void): void
  /** Number of messages whose slots are not freed yet. */
  readonly outstanding: number
  /** Calls `resume` once, as soon as nothing is outstanding or the actor's thread is down, perhaps at once. */
  whenIdle(resume: () => void): void
}

/**
 * Returns a ref to an actor on this thread.
 * @param name used in error messages
 * @param window slots of the mailbox that are reserved for this edge; `tell` throws RangeError when the windows of all
 *   edges exceed the mailbox
 */
export function nearRef<M>(name: string, mailbox: Mailbox<M>, window: number): Ref<M> {
  const credit = new CreditWindow(window)
  const onFreed = () => credit.refund(1)
  return {
    tell(message) {
      if (!credit.spend()) return mailbox.refuse()
      if (mailbox.offer(message, onFreed)) return true
      credit.refund(1)
      throw new RangeError(`the windows of ${name} exceed its mailbox`)
    },
    get room() {
      return credit.room
    },
    whenRoom: (resume) => credit.whenRoom(resume),
    whenIdle: (resume) => credit.whenIdle(resume),
    get outstanding() {
      return credit.spent
    },
  }
}
