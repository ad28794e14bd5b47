import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRoute, FrontOptions, OpenRoute, PageFile } from '../../../src/http/contract.ts'
import { Asks } from '../../../src/kernel/ask.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { RemoteError } from '../../../src/kernel/error-transfer.ts'
import type { Outbox } from '../../../src/kernel/send-buffer.ts'
import {
  type AdminSpec,
  type Answered,
  type OpenSpec,
  RELAY_WINDOW,
  type RelayedRoutes,
  type RelayMail,
  type RelayQuery,
  routeName,
} from '../../messages/front-main.ts'

/** Longer than the longest answer that main has, which is that of a channel's test message. */
const DEADLINE_MS = 60_000

interface MainDeskTools {
  readonly main: Outbox<RelayMail>
  readonly clock: Clock
  /** No life of the thread before had an id as high. */
  readonly firstId: number
}

/** What a front on a thread of its own has answered by main: all but the intake. */
export class MainDesk {
  readonly #main: Outbox<RelayMail>
  readonly #asks: Asks
  readonly #pending = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  #lastId: number

  constructor({ main, clock, firstId }: MainDeskTools) {
    this.#main = main
    this.#asks = new Asks('main', clock)
    this.#lastId = firstId
  }

  /** Rejects with what main's answer was rejected with, or `ask_timeout`. */
  async ask(what: RelayQuery): Promise<unknown> {
    if (this.#pending.size >= RELAY_WINDOW)
      throw new CodedError('ask_timeout', 'too many requests wait for another thread')
    const id = ++this.#lastId
    try {
      return await this.#asks.ask(what.kind, DEADLINE_MS, () => this.#send(id, what))
    } finally {
      this.#pending.delete(id)
    }
  }

  #send(id: number, what: RelayQuery): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#main.tell({ kind: 'asked', id, what }, () => {})
    })
  }

  answered({ id, answer, error }: Answered): void {
    const pending = this.#pending.get(id)
    if (error) pending?.reject(new RemoteError(error))
    else pending?.resolve(answer)
  }

  /** The front's options that lead to main. */
  options({
    admin,
    open,
    metrics,
  }: RelayedRoutes): Pick<FrontOptions, 'admin' | 'open' | 'ready' | 'metrics' | 'pages'> {
    return {
      admin: admin.map((spec) => this.#adminRoute(spec)),
      open: open.map((spec) => this.#openRoute(spec)),
      ready: () => this.ask({ kind: 'ready' }) as Promise<readonly string[]>,
      pages: () => this.ask({ kind: 'pages' }) as Promise<readonly PageFile[]>,
      ...(metrics ? { metrics: () => this.ask({ kind: 'metrics' }) as Promise<string> } : {}),
    }
  }

  #adminRoute(spec: AdminSpec): AdminRoute {
    const route = routeName(spec)
    const answer: AdminRoute['answer'] = async (request) => {
      const query = request.query.toString()
      return (await this.ask({ kind: 'admin', route, request: { ...request, query } })) as Awaited<
        ReturnType<typeof answer>
      >
    }
    return { ...spec, answer }
  }

  #openRoute(spec: OpenSpec): OpenRoute {
    const route = routeName(spec)
    const answer: OpenRoute['answer'] = async (request) =>
      (await this.ask({ kind: 'open', route, request })) as Awaited<ReturnType<typeof answer>>
    return { ...spec, answer }
  }
}
