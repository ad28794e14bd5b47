import { CreditWindow } from './credit.ts'
import type { Mailbox } from './mailbox.ts'

/** Where to send an actor its messages; hides whether the actor is on this thread or another. */
export interface Ref<M> {
  /** The actor's name. */
  readonly name: string
  /**
   * False: no room; the message was not taken and the mailbox's policy says what the producer does.
   * `transfer`: buffers inside the message that this thread gives up when the actor is far.
   */
  tell(message: M, transfer?: readonly ArrayBuffer[]): boolean
  /** How many tells would be taken now. */
  readonly room: number
  /** Called once, when there is room (at once when there is). */
  whenRoom(resume: () => void): void
  /** Tells that the actor has not settled. */
  readonly outstanding: number
  /** Called once, when the actor has settled every tell, or is gone (at once when nothing is outstanding). */
  whenIdle(resume: () => void): void
  /** Tells that found no room, since the start. */
  readonly refused: number
}

/**
 * An actor on this thread. `window` places of its mailbox are reserved for this edge, as they are for a far one; `tell` throws RangeError when
 * more was promised than the mailbox holds.
 */
export function nearRef<M>(name: string, mailbox: Mailbox<M>, window: number): Ref<M> {
  const credit = new CreditWindow(window)
  const onFreed = () => credit.refund(1)
  return {
    name,
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
    get refused() {
      return credit.refused
    },
  }
}

/** For an edge that leads nowhere, because nobody lives there: there is never room. */
export function noRef<M>(name: string): Ref<M> {
  const idle = (resume: () => void) => resume()
  return { name, tell: () => false, room: 0, whenRoom() {}, outstanding: 0, whenIdle: idle, refused: 0 }
}
