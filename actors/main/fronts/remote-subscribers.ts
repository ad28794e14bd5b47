import type { DisconnectReason, Subscription, Tail, TailClient } from '../../../src/domain/subscription.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { BufferReport, FrontMail, Joined, Left, Refiltered } from '../../messages/front-main.ts'

interface RemoteSubscription {
  readonly subscriber: RemoteSubscriber
  readonly subscription: Subscription
}

/**
 * The live tail's clients on another front.
 *
 * - good: messages for the clients go to the front. Leaves to cutting when one finds no place.
 * - cutting: the front does not keep up. All its clients leave the hub, and nothing is sent. Leaves to good when there
 *   is room: then the front disconnects the clients, which connect again with the id of the last event they have.
 */
export class RemoteSubscribers {
  readonly #tail: Tail
  readonly #front: Ref<FrontMail>
  readonly #subscribers = new Map<number, RemoteSubscription>()
  #state: 'good' | 'cutting' = 'good'

  constructor(tail: Tail, front: Ref<FrontMail>) {
    this.#tail = tail
    this.#front = front
  }

  publish(topic: string, text: string): void {
    if (this.#subscribers.size > 0) this.#tell({ kind: 'published', topic, text })
  }

  join({ client, request }: Joined): void {
    const subscriber = new RemoteSubscriber(client, (mail) => this.#tell(mail))
    this.#subscribers.set(client, { subscriber, subscription: this.#tail.join(subscriber, request) })
  }

  refilter({ client, filter }: Refiltered): void {
    this.#subscribers.get(client)?.subscription.refilter(filter)
  }

  reportBuffers({ clients }: BufferReport): void {
    for (const { client, handed, buffered } of clients) {
      const known = this.#subscribers.get(client)
      if (!known) continue
      known.subscriber.setBuffered(handed, buffered)
      known.subscription.drained()
    }
  }

  leave({ client }: Left): void {
    this.#subscribers.get(client)?.subscription.leave()
    this.#subscribers.delete(client)
  }

  /** Removes all clients: the front disconnected them, or its thread ended. */
  leaveAll(): void {
    for (const { subscription } of this.#subscribers.values()) subscription.leave()
    this.#subscribers.clear()
  }

  #tell(mail: FrontMail): void {
    if (this.#state === 'cutting' || this.#front.tell(mail)) return
    this.#state = 'cutting'
    // Later, because the hub is iterating over its subscribers.
    queueMicrotask(() => this.leaveAll())
    this.#front.whenRoom(() => {
      this.#state = 'good'
      this.#front.tell({ kind: 'cut', reason: 'too_slow' })
    })
  }
}

/** A client on another front, as a subscriber of the hub. */
class RemoteSubscriber implements TailClient {
  readonly #client: number
  readonly #tell: (mail: FrontMail) => void
  /**
   * Bytes sent to this client alone; of these, bytes that its front handed to the connection; and bytes that the
   * connection still holds.
   */
  #sent = 0
  #handed = 0
  #connectionBytes = 0

  constructor(client: number, tell: (mail: FrontMail) => void) {
    this.#client = client
    this.#tell = tell
  }

  get buffered(): number {
    return this.#sent - this.#handed + this.#connectionBytes
  }

  setBuffered(handed: number, buffered: number): void {
    this.#handed = handed
    this.#connectionBytes = buffered
  }

  send(text: string): void {
    this.#sent += text.length
    this.#tell({ kind: 'sent', client: this.#client, text })
  }

  subscribe(topic: string): void {
    this.#tell({ kind: 'subscribed', client: this.#client, topic })
  }

  unsubscribe(topic: string): void {
    this.#tell({ kind: 'unsubscribed', client: this.#client, topic })
  }

  disconnect(reason: DisconnectReason): void {
    this.#tell({ kind: 'cut', client: this.#client, reason })
  }
}
