import type { JoinRequest, Subscription, Tail, TailClient } from '../../../src/domain/subscription.ts'
import type { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import type { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'
import type { FrontMail, FrontRequestMail } from '../../messages/front-main.ts'

interface LocalClient {
  readonly client: TailClient
  /** Bytes handed to its connection since it joined. Published texts are not counted. */
  handed: number
  /** `buffered` in the last report to main. */
  reportedBytes: number
}

interface MainTailClientDeps {
  readonly main: SendBuffer<FrontRequestMail>
  readonly scheduler: TurnScheduler
  readonly firstId: number
  publish(topic: string, text: string): void
}

type FrontTailMail = Exclude<FrontMail, { kind: 'answered' }>

/**
 * The live tail on a front that is not main's. Main's tail hub decides what is sent; this class forwards clients and
 * filters to it, and reports how many bytes the connections hold.
 */
export class MainTailClient implements Tail {
  readonly #deps: MainTailClientDeps
  readonly #clients = new Map<number, LocalClient>()
  /** Clients whose bytes changed since the last report. */
  readonly #unreported = new Set<number>()
  #lastId: number
  #reportScheduled = false

  constructor(deps: MainTailClientDeps) {
    this.#deps = deps
    this.#lastId = deps.firstId
  }

  join(client: TailClient, request: JoinRequest): Subscription {
    const id = ++this.#lastId
    this.#clients.set(id, { client, handed: 0, reportedBytes: 0 })
    this.#tell({ kind: 'joined', client: id, request })
    return {
      refilter: (filter) => this.#tell({ kind: 'refiltered', client: id, filter }),
      drained: () => this.#report(id),
      leave: () => {
        this.#clients.delete(id)
        this.#tell({ kind: 'left', client: id })
      },
    }
  }

  receive(mail: FrontTailMail): void {
    switch (mail.kind) {
      case 'published':
        this.#deps.publish(mail.topic, mail.text)
        for (const [id, { client, reportedBytes }] of this.#clients)
          if (client.buffered !== reportedBytes) this.#report(id)
        return
      case 'sent':
        return this.#send(mail.client, mail.text)
      case 'subscribed':
        return this.#clients.get(mail.client)?.client.subscribe(mail.topic)
      case 'unsubscribed':
        return this.#clients.get(mail.client)?.client.unsubscribe(mail.topic)
      case 'cut':
        return this.#disconnect(mail)
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

  #disconnect({ client: id, reason }: Extract<FrontTailMail, { kind: 'cut' }>): void {
    const clients = id === undefined ? [...this.#clients.values()] : [this.#clients.get(id)]
    for (const local of clients) local?.client.disconnect(reason)
  }

  /** Reports at the end of the turn. */
  #report(id: number): void {
    this.#unreported.add(id)
    if (this.#reportScheduled) return
    this.#reportScheduled = true
    this.#deps.scheduler.flushLink(() => this.#sendReport())
  }

  #sendReport(): void {
    const clients = [...this.#unreported].flatMap((id) => {
      const local = this.#clients.get(id)
      if (!local) return []
      local.reportedBytes = local.client.buffered
      return [{ client: id, handed: local.handed, buffered: local.reportedBytes }]
    })
    this.#unreported.clear()
    const onSent = () => {
      this.#reportScheduled = false
      if (this.#unreported.size > 0) this.#report([...this.#unreported][0] as number)
    }
    if (clients.length > 0) this.#deps.main.tell({ kind: 'buffers', clients }, onSent)
    else onSent()
  }

  #tell(mail: FrontRequestMail): void {
    this.#deps.main.tell(mail, () => {})
  }
}
