import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRoute, PublicRoute, TicketStore } from '../../../src/http/contract.ts'
import { PendingAsks } from '../../../src/kernel/ask.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { RemoteError } from '../../../src/kernel/error-transfer.ts'
import type { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import {
  type AdminSpec,
  FRONT_REQUEST_WINDOW,
  type FrontRequestMail,
  type MainQueries,
  type MainQuery,
  type MainResponse,
  type MainRoutes,
  type PublicSpec,
  routeName,
} from '../../messages/front-main.ts'
import { type Ask, typedAsk } from '../../messages/query.ts'

/** Deadline of a question; longer than main's slowest answer, that to a channel's test message. */
const DEADLINE_MS = 60_000

interface MainClientDeps {
  readonly main: SendBuffer<FrontRequestMail>
  readonly clock: Clock
  /** Higher than every id of the thread's earlier incarnations. */
  readonly firstId: number
}

/** Asks main what a front on a thread of its own does not answer itself: everything but the intake. */
export class MainClient {
  readonly #main: SendBuffer<FrontRequestMail>
  readonly #pendingAsks: PendingAsks
  readonly #pending = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  #lastId: number

  constructor({ main, clock, firstId }: MainClientDeps) {
    this.#main = main
    this.#pendingAsks = new PendingAsks('main', clock)
    this.#lastId = firstId
  }

  /** Rejects with the error of main's answer, or with `ask_timeout` after 60 s or when 256 questions are under way. */
  readonly ask: Ask<MainQueries> = typedAsk<MainQueries>((query) => this.#ask(query))

  async #ask(query: MainQuery): Promise<unknown> {
    if (this.#pending.size >= FRONT_REQUEST_WINDOW)
      throw new CodedError('ask_timeout', 'too many requests wait for another thread')
    const id = ++this.#lastId
    try {
      return await this.#pendingAsks.ask(query.kind, DEADLINE_MS, () => this.#send(id, query))
    } finally {
      this.#pending.delete(id)
    }
  }

  #send(id: number, query: MainQuery): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#main.tell({ kind: 'asked', id, query }, () => {})
    })
  }

  answered({ id, answer, error }: MainResponse): void {
    const pending = this.#pending.get(id)
    if (error) pending?.reject(new RemoteError(error))
    else pending?.resolve(answer)
  }

  /** Main's tickets of the live tail. Main invalidates them itself. */
  readonly tickets: TicketStore = {
    issue: () => this.ask({ kind: 'issueTicket' }),
    redeem: (ticket) => this.ask({ kind: 'redeemTicket', ticket }),
    revoke() {},
  }

  /** Returns the front's options whose answers come from main. */
  options({ admin, publicRoutes, metrics }: MainRoutes) {
    return {
      admin: admin.map((spec) => this.#adminRoute(spec)),
      publicRoutes: publicRoutes.map((spec) => this.#publicRoute(spec)),
      ready: () => this.ask({ kind: 'ready' }),
      pages: () => this.ask({ kind: 'pages' }),
      ...(metrics ? { metrics: () => this.ask({ kind: 'metrics' }) } : {}),
    }
  }

  #adminRoute(spec: AdminSpec): AdminRoute {
    const route = routeName(spec)
    return {
      ...spec,
      answer: (request) => this.ask({ kind: 'admin', route, request: { ...request, query: request.query.toString() } }),
    }
  }

  #publicRoute(spec: PublicSpec): PublicRoute {
    const route = routeName(spec)
    return { ...spec, answer: (request) => this.ask({ kind: 'public', route, request }) }
  }
}
