import {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
} from 'uWebSockets.js'
import { mountPages } from './asset-cache.ts'
import { addressKey, LoginThrottle } from './auth.ts'
import { jsonOf } from './body/documents.ts'
import type { AdminRoute, FrontOptions, FrontSettings } from './contract.ts'
import { FrontContext } from './front-context.ts'
import { routeHealth } from './health.ts'
import { IntakeHandler } from './intake.ts'
import { bind } from './listen.ts'
import { ERROR_REPLIES, errorReply, jsonReply, NO_STORE, retryAfter } from './reply.ts'
import { handlerOf, publicHandlerOf } from './route-handler.ts'
import { type Guard, type Handler, Router, sendTo } from './router.ts'
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

const GUARDED = ['/api/admin/', '/api/agent/']
const UNAUTHORIZED = errorReply('unauthorized', undefined, NO_STORE)

interface Gated {
  readonly routes: readonly AdminRoute[]
  readonly throttle: LoginThrottle
}

/**
 * Serves the gated routes. Below their prefixes the answer to a request without the gateway secret does not depend on
 * whether the route exists. Throws when a route lies outside the prefixes or is routed twice.
 */
function mountAdmin(app: TemplatedApp, context: FrontContext, { routes, throttle }: Gated): Router {
  const router = new Router()
  for (const route of routes) {
    if (!GUARDED.some((prefix) => route.path.startsWith(prefix))) throw new Error(`${route.path} is not a gated path`)
    router.add(route.method, route.path, adminHandlerOf(context, route))
  }
  const guard = guardOf(context, throttle)
  router.mount(app, guard)
  for (const prefix of GUARDED)
    app.any(`${prefix}*`, (res, req) => void (guard(res, req) || sendTo(res, req, ERROR_REPLIES.not_found)))
  return router
}

function guardOf(context: FrontContext, throttle: LoginThrottle): Guard {
  const refusal = (res: HttpResponse, req: HttpRequest) => {
    const { gateway } = context.settings
    if (gateway === undefined) return ERROR_REPLIES.not_found
    const given = req.getHeader('x-gateway-secret')
    if (given === '') return UNAUTHORIZED
    const address = addressKey(res.getRemoteAddress())
    const blockedSeconds = throttle.blockedForSeconds(address)
    if (blockedSeconds > 0)
      return errorReply('too_many_attempts', undefined, { ...NO_STORE, ...retryAfter(blockedSeconds) })
    if (gateway.matches(given)) return throttle.succeeded(address)
    if (throttle.failed(address))
      context.log.warn(
        { address: addressText(res) },
        'an address sent too many wrong gateway secrets; it is refused for a minute',
      )
    return UNAUTHORIZED
  }
  return (res, req) => {
    const reply = refusal(res, req)
    if (reply !== undefined) sendTo(res, req, reply)
    return reply !== undefined
  }
}

const addressText = (res: HttpResponse) => Buffer.from(res.getRemoteAddressAsText()).toString()

function adminHandlerOf(context: FrontContext, route: AdminRoute): Handler {
  const headers = [CONTENT_TYPE, ...(route.headers ?? [])]
  return handlerOf(context, { ...route, headers }, async ({ params, query, headers: given, body }) => {
    const {
      status,
      json,
      headers: own,
    } = await route.answer({
      params,
      query: new URLSearchParams(query),
      body: route.takes === 'bytes' ? Buffer.from(body) : jsonOf(body),
      contentType: given[CONTENT_TYPE] ?? '',
      headers: given,
    })
    return jsonReply(status, json, { ...NO_STORE, ...own })
  })
}

const CONTENT_TYPE = 'content-type'
