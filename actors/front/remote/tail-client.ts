import type { EventFilter } from '../../../src/domain/event-filter.ts'
import type { Seat, Tail, TailClient } from '../../../src/domain/subscription.ts'
import type { Outbox } from '../../../src/kernel/send-buffer.ts'
import type { Turns } from '../../../src/kernel/turn-scheduler.ts'
import type { FrontMail, RelayMail } from '../../messages/front-main.ts'

interface Local {
  readonly client: TailClient
  /** Bytes sent to it alone. */
  handed: number
  /** What main was told last. */
  told: number
}

interface FrontTailTools {
  readonly main: Outbox<RelayMail>
  readonly turns: Turns
  readonly firstId: number
  publish(topic: string, text: string): void
}

type TailMail = Exclude<FrontMail, { kind: 'answered' }>

/** The live tail as a front has it that is not main's: main decides what is sent, and hears what the connections hold. */
export class FrontTail implements Tail {
  readonly #tools: FrontTailTools
  readonly #clients = new Map<number, Local>()
  /** Those main has to hear of. */
  readonly #news = new Set<number>()
  #lastId: number
  #leaving = false

  constructor(tools: FrontTailTools) {
    this.#tools = tools
    this.#lastId = tools.firstId
  }

  join(client: TailClient, wish: { readonly filter: EventFilter; readonly after?: string }): Seat {
    const id = ++this.#lastId
    this.#clients.set(id, { client, handed: 0, told: 0 })
    this.#tell({ kind: 'joined', client: id, wish })
    return {
      refilter: (filter) => this.#tell({ kind: 'refiltered', client: id, filter }),
      drained: () => this.#report(id),
      leave: () => {
        this.#clients.delete(id)
        this.#tell({ kind: 'left', client: id })
      },
    }
  }

  receive(mail: TailMail): void {
    switch (mail.kind) {
      case 'published':
        this.#tools.publish(mail.topic, mail.text)
        for (const [id, { client, told }] of this.#clients) if (client.buffered !== told) this.#report(id)
        return
      case 'sent':
        return this.#send(mail.client, mail.text)
      case 'subscribed':
        return this.#clients.get(mail.client)?.client.subscribe(mail.topic)
      case 'unsubscribed':
        return this.#clients.get(mail.client)?.client.unsubscribe(mail.topic)
      case 'cut':
        return this.#cut(mail.client)
      default:
        return mail satisfies never
    }
  }

  #send(id: number, text: string): void {
    const local = this.#clients.get(id)
    if (!local) return
    local.client.send(text)
    local.handed += text.length
    this.#report(id)
  }

  #cut(id: number | undefined): void {
    const cut = id === undefined ? [...this.#clients.values()] : [this.#clients.get(id)]
    for (const local of cut) local?.client.cut()
  }

  /** Once a turn. */
  #report(id: number): void {
    this.#news.add(id)
    if (this.#leaving) return
    this.#leaving = true
    this.#tools.turns.flushLink(() => this.#leave())
  }

  #leave(): void {
    const clients = [...this.#news].flatMap((id) => {
      const local = this.#clients.get(id)
      if (!local) return []
      local.told = local.client.buffered
      return [{ client: id, handed: local.handed, buffered: local.told }]
    })
    this.#news.clear()
    const told = () => {
      this.#leaving = false
      if (this.#news.size > 0) this.#report([...this.#news][0] as number)
    }
    if (clients.length > 0) this.#tools.main.tell({ kind: 'held', clients }, told)
    else told()
  }

  #tell(mail: RelayMail): void {
    this.#tools.main.tell(mail, () => {})
  }
}
