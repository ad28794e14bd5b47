import { App, type TemplatedApp, type us_listen_socket, us_listen_socket_close } from 'uWebSockets.js'
import { mountAdmin } from './admin.ts'
import { mountPages } from './asset-cache.ts'
import { LoginThrottle } from './auth.ts'
import type { Front, FrontOptions, FrontSettings } from './contract.ts'
import { FrontContext } from './front-context.ts'
import { routeHealth } from './health.ts'
import { IntakeHandler } from './intake.ts'
import { type Bound, bind, type Sharing } from './listen.ts'
import { ERROR_REPLIES } from './reply.ts'
import { publicHandlerOf } from './route-handler.ts'
import { Router, sendTo } from './router.ts'
import { TailHandler } from './tail.ts'

const CLOSE_GRACE_MS = 5_000

/**
 * Creates a front, which does not listen yet. `close` must be called before its thread ends: an open socket would abort
 * the process.
 */
export function createFront(options: FrontOptions): HttpFront {
  const context = new FrontContext(options)
  const tail = new TailHandler(context, options.tail, options.tickets)
  const { app, routes } = appOf(options, { context, tail })
  return new HttpFront({ app, routes, context, tail, sharing: options.sharedPort ?? 'no' })
}

interface Parts {
  readonly app: TemplatedApp
  readonly routes: readonly string[]
  readonly context: FrontContext
  readonly tail: TailHandler
  readonly sharing: Sharing
}

class HttpFront implements Front {
  readonly routes: readonly string[]
  readonly #app: TemplatedApp
  readonly #context: FrontContext
  readonly #tail: TailHandler
  readonly #sharing: Sharing
  #socket: us_listen_socket | undefined
  #closing: Promise<void> | undefined

  constructor({ app, routes, context, tail, sharing }: Parts) {
    this.routes = routes
    this.#app = app
    this.#context = context
    this.#tail = tail
    this.#sharing = sharing
  }

  async listen(host: string, port: number): Promise<number> {
    const bound: Bound = await bind(this.#app, { host, port, shared: this.#sharing })
    this.#socket = bound.socket
    return bound.port
  }

  reload(settings: FrontSettings): void {
    const { gateway } = this.#context.settings
    this.#context.reload(settings)
    if (gateway && !gateway.matches(settings.gatewaySecret)) this.#tail.revoke()
  }

  publish(topic: string, text: string): void {
    this.#app.publish(topic, text)
  }

  refuseNew(): void {
    this.#context.refusing = true
  }

  /** Number of requests that are read and not answered; for tests. */
  inflight(): number {
    return this.#context.inflight.waiting
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.refuseNew()
    if (this.#socket !== undefined) us_listen_socket_close(this.#socket)
    const { inflight } = this.#context
    for (const upload of inflight.uploads) upload.answer(ERROR_REPLIES.shutting_down)
    await withinGrace(inflight.idle())
    this.#tail.close()
    this.#app.close()
  }
}

function appOf(
  options: FrontOptions,
  { context, tail }: Pick<Parts, 'context' | 'tail'>,
): Pick<Parts, 'app' | 'routes'> {
  const app = App()
  const intake = new IntakeHandler(context, options.submit)
  const router = new Router()
  router.add('POST', '/api/incidents', (res, req) => intake.handle(res, req))
  routeHealth(router, context, options)
  for (const route of options.publicRoutes) router.add(route.method, route.path, publicHandlerOf(context, route))
  app.post('/api/incidents', (res, req) => intake.handle(res, req))
  router.mount(app)
  tail.mount(app)
  const { throttle = new LoginThrottle(() => performance.now()) } = options
  const admin = mountAdmin(app, context, { routes: [...options.admin, ...tail.routes], throttle })
  const pages = options.pages && mountPages(app, context, options.pages)
  app.any('/*', (res, req) => sendTo(res, req, ERROR_REPLIES.not_found))
  return { app, routes: [...router.routes, ...admin.routes, ...(pages?.routes ?? [])] }
}

async function withinGrace(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CLOSE_GRACE_MS)
  })
  await Promise.race([work, grace])
  clearTimeout(timer)
}
