import type { Seat, Tail, TailClient } from '../../../src/domain/subscription.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { FrontMail, Held, Joined, Left, Refiltered } from '../../messages/front-main.ts'

interface Client {
  readonly remote: RemoteClient
  readonly seat: Seat
}

/**
 * The clients of the live tail that are connected to another front. A front that does not keep up with what it is to send loses them all: they
 * come again, with what they saw last.
 */
export class RemoteClients {
  readonly #tail: Tail
  readonly #front: Ref<FrontMail>
  readonly #clients = new Map<number, Client>()
  #state: 'good' | 'cutting' = 'good'

  constructor(tail: Tail, front: Ref<FrontMail>) {
    this.#tail = tail
    this.#front = front
  }

  publish(topic: string, text: string): void {
    if (this.#clients.size > 0) this.#tell({ kind: 'published', topic, text })
  }

  join({ client, wish }: Joined): void {
    const remote = new RemoteClient(client, (mail) => this.#tell(mail))
    this.#clients.set(client, { remote, seat: this.#tail.join(remote, wish) })
  }

  refilter({ client, filter }: Refiltered): void {
    this.#clients.get(client)?.seat.refilter(filter)
  }

  held({ clients }: Held): void {
    for (const { client, handed, buffered } of clients) {
      const known = this.#clients.get(client)
      if (!known) continue
      known.remote.holds(handed, buffered)
      known.seat.drained()
    }
  }

  leave({ client }: Left): void {
    this.#clients.get(client)?.seat.leave()
    this.#clients.delete(client)
  }

  /** The front is gone, and its connections with it. */
  leaveAll(): void {
    for (const { seat } of this.#clients.values()) seat.leave()
    this.#clients.clear()
  }

  #tell(mail: FrontMail): void {
    if (this.#state === 'cutting' || this.#front.tell(mail)) return
    this.#state = 'cutting'
    // The hub is in the middle of something.
    queueMicrotask(() => this.leaveAll())
    this.#front.whenRoom(() => {
      this.#state = 'good'
      this.#front.tell({ kind: 'cut' })
    })
  }
}

/** A connection of another front, as the hub sees it. */
class RemoteClient implements TailClient {
  readonly #client: number
  readonly #tell: (mail: FrontMail) => void
  /** Bytes that were sent to it alone, and how many of them its front has handed to the connection. */
  #sent = 0
  #handed = 0
  #held = 0

  constructor(client: number, tell: (mail: FrontMail) => void) {
    this.#client = client
    this.#tell = tell
  }

  get buffered(): number {
    return this.#sent - this.#handed + this.#held
  }

  holds(handed: number, buffered: number): void {
    this.#handed = handed
    this.#held = buffered
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

  cut(): void {
    this.#tell({ kind: 'cut', client: this.#client })
  }
}
