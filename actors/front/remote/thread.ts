import { CodedError } from '../../../src/domain/errors.ts'
import { LoginThrottle } from '../../../src/http/auth.ts'
import type { AdminRoute, FrontSettings, PublicRoute, TicketStore } from '../../../src/http/contract.ts'
import { createFront } from '../../../src/http/front.ts'
import { Tickets } from '../../../src/http/tickets.ts'
import { PendingAsks } from '../../../src/kernel/ask.ts'
import { type Clock, sinceBootMs } from '../../../src/kernel/clock.ts'
import { RemoteError } from '../../../src/kernel/error-transfer.ts'
import { SendBuffer } from '../../../src/kernel/send-buffer.ts'
import { shrinkHeap } from '../../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../../src/kernel/thread.ts'
import { jsonPrinter, type LiveLog } from '../../../src/telemetry/log.ts'
import {
  type AdminSpec,
  FRONT_REQUEST_WINDOW,
  FRONT_WINDOW,
  type FrontMail,
  type FrontRequestMail,
  type MainQueries,
  type MainQuery,
  type MainResponse,
  type MainRoutes,
  type PublicSpec,
  routeName,
} from '../../messages/front-main.ts'
import type { FrontQueries, RemoteFrontSettings } from '../../messages/front-queries.ts'
import { type Answers, type Ask, answerFrom, typedAsk } from '../../messages/query.ts'
import { logReports } from '../../wiring/log-reports.ts'
import { openParameterWarnings } from '../../wiring/parameter-warnings.ts'
import type { FrontBoot, ThreadDeps } from '../../wiring/settings.ts'
import { createIngest } from '../ingest-cell.ts'
import { CountForwarder } from './count-forwarder.ts'
import { MainTailClient } from './tail-client.ts'

/**
 * Runs one more front on main's port, with an ingest of its own: incidents go from here to the journal. All other requests
 * are answered by main.
 */
export function frontThread(
  boot: FrontBoot,
  { thread, link, scheduler }: ThreadContext,
  { spawn, clock, log }: ThreadDeps,
): ThreadBody {
  const main = link('main').outlet<FrontRequestMail>('relay', FRONT_REQUEST_WINDOW)
  const sendBuffer = new SendBuffer(main)
  const firstId = sinceBootMicros()
  const counts = new CountForwarder(main, scheduler)
  const { ingest, submit } = createIngest({
    spawn,
    scheduler,
    journal: link('journal'),
    clock,
    report: logReports(log),
    counts,
    maxInflight: boot.maxInflight,
    answerWithinMs: boot.answerWithinMs,
    name: `ingest/${thread}`,
    front: boot.index,
    firstBatch: firstId,
  })
  const mainClient = new MainClient({ main: sendBuffer, clock, firstId })
  const tail = new MainTailClient({
    main: sendBuffer,
    scheduler,
    firstId,
    publish: (topic, text) => front.publish(topic, text),
  })
  const front = createFront({
    ...settingsOf(boot.settings),
    ...mainClient.options(boot.routes),
    tickets: boot.tickets ? new Tickets(sinceBootMs, boot.tickets) : mainClient.tickets,
    throttle: new LoginThrottle(sinceBootMs, boot.throttle),
    tail,
    log,
    sharedPort: 'joins',
    submit,
    now: () => clock.now(),
    refused: (code) => counts.refused(code),
    warned: openParameterWarnings({ log, clock, count: () => counts.warned() }),
  })
  const take = (mail: FrontMail) => (mail.kind === 'answered' ? mainClient.answered(mail) : tail.receive(mail))
  const { cell: mail } = spawn<FrontMail>({
    name: thread,
    address: 'front',
    places: FRONT_WINDOW,
    batch: FRONT_WINDOW,
    slots: 'auto',
    from: [link('main')],
    build: () => ({ receive: (batch) => batch.forEach(take) }),
  })
  const answers: Answers<FrontQueries> = {
    listen: ({ host, port }) => front.listen(host, port),
    settings({ settings }) {
      log.change(settings.log)
      front.reload(settingsOf(settings))
    },
    refuse: () => front.refuseNew(),
  }
  endWithoutSockets(log, () => front.close())
  shrinkHeap()
  return {
    cells: [ingest, mail],
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await front.close()
      await ingest.close()
      await mail.close()
    },
  }
}

const settingsOf = ({ front, debugBody }: RemoteFrontSettings): FrontSettings => ({
  ...front,
  ...(debugBody ? { onPayload: jsonPrinter() } : {}),
})

/** Grows with every incarnation of a thread, and faster than the ids and batch numbers that count on from it. */
const sinceBootMicros = () => Math.floor(sinceBootMs() * 1_000)

/**
 * Closes the front after an uncaught error, then ends the thread: a thread that ends with an open uWebSockets.js socket
 * aborts the process. Requests under way are answered when their commit ends within the front's closing time.
 */
function endWithoutSockets(log: LiveLog, close: () => Promise<void>): void {
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'a front failed; it closes, and is started again')
    void close().finally(() => process.exit(1))
  })
}

/** Deadline of a question; longer than main's slowest answer, that to a channel's test message. */
const DEADLINE_MS = 60_000

interface MainClientDeps {
  readonly main: SendBuffer<FrontRequestMail>
  readonly clock: Clock
  /** Higher than every id of the thread's earlier incarnations. */
  readonly firstId: number
}

/** Asks main what a front on a thread of its own does not answer itself: everything but the intake. */
class MainClient {
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
