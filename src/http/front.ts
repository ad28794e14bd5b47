import { App, type us_listen_socket, us_listen_socket_close } from 'uWebSockets.js'
import { mountAdmin } from './admin.ts'
import { mountPages } from './asset-cache.ts'
import { LoginThrottle } from './auth.ts'
import type { FrontOptions, FrontSettings } from './contract.ts'
import { FrontContext } from './front-context.ts'
import { routeHealth } from './health.ts'
import { IntakeHandler } from './intake.ts'
import { bind } from './listen.ts'
import { ERROR_REPLIES } from './reply.ts'
import { publicHandlerOf } from './route-handler.ts'
import { Router, sendTo } from './router.ts'
import { TailHandler } from './tail.ts'

const CLOSE_GRACE_MS = 5_000

export type Front = ReturnType<typeof createFront>

/**
 * Creates a front, which does not listen yet. `close` must be called before its thread ends: an open socket would abort
 * the process.
 */
export function createFront(options: FrontOptions) {
  const context = new FrontContext(options)
  const { inflight } = context
  const tail = new TailHandler(context, options.tail, options.tickets)
  const { app, routes } = appOf(options, { context, tail })
  let socket: us_listen_socket | undefined
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    context.refusing = true
    if (socket !== undefined) us_listen_socket_close(socket)
    for (const upload of inflight.uploads) upload.answer(ERROR_REPLIES.shutting_down)
    await withinGrace(inflight.idle())
    tail.close()
    app.close()
  }

  return {
    /** All routes, such as `GET /healthz`. */
    routes,
    /** Resolves with the bound port; port 0 binds a free one. Rejects when the address cannot be bound. */
    async listen(host: string, port: number): Promise<number> {
      const bound = await bind(app, { host, port, shared: options.sharedPort ?? 'no' })
      socket = bound.socket
      return bound.port
    },
    /** Takes effect with the next request. Requests in progress keep the settings they began with. */
    reload(settings: FrontSettings): void {
      const { gateway } = context.settings
      context.reload(settings)
      if (gateway && !gateway.matches(settings.gatewaySecret)) tail.revoke()
    },
    /** Sends a text to every client of the tail that is subscribed to the topic. */
    publish: (topic: string, text: string) => void app.publish(topic, text),
    /** From now on intake answers 503 shutting_down and /readyz fails. */
    refuseNew(): void {
      context.refusing = true
    },
    /** Number of requests that are read and not answered; for tests. */
    inflight: () => inflight.waiting,
    /** Stops listening, waits up to 5 s for the answers to pending requests, ends all connections. Idempotent. */
    close(): Promise<void> {
      closing ??= close()
      return closing
    },
  }
}

function appOf(options: FrontOptions, { context, tail }: { context: FrontContext; tail: TailHandler }) {
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
