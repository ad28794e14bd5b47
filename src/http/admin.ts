import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { addressKey, type LoginThrottle } from './auth.ts'
import { jsonOf } from './body/documents.ts'
import type { AdminRequest, AdminRoute } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { paramsOf, segmentsOf } from './path-params.ts'
import { PendingResponse } from './pending-response.ts'
import { ERROR_REPLIES, errorReply, jsonReply, NO_STORE, type Reply, retryAfter } from './reply.ts'
import { type Guard, type Handler, Router, sendTo } from './router.ts'

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
export function mountAdmin(app: TemplatedApp, context: FrontContext, { routes, throttle }: Gated): Router {
  const router = new Router()
  for (const route of routes) {
    if (!GUARDED.some((prefix) => route.path.startsWith(prefix))) throw new Error(`${route.path} is not a gated path`)
    router.add(route.method, route.path, handlerOf(context, route))
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

function handlerOf(context: FrontContext, route: AdminRoute): Handler {
  const segments = segmentsOf(route.path)
  const names = route.headers
  const bodyOf = route.takes === 'bytes' ? (body: Buffer) => Buffer.from(body) : jsonOf
  return (res, req) => {
    const pending = new PendingResponse(res, context.inflight)
    pending.bodiless = req.getMethod() === 'head'
    const given = segments(req)
    const query = req.getQuery()
    const contentType = req.getHeader('content-type')
    const headers = names && Object.fromEntries(names.map((name) => [name, req.getHeader(name)]))
    const run = (body: Buffer) => {
      pending.begin()
      const requestOf = () => ({
        params: paramsOf(given),
        query: new URLSearchParams(query),
        body: bodyOf(body),
        contentType,
        ...(headers && { headers }),
      })
      answerOf(route, requestOf)
        .catch((error) => context.failure(error))
        .then((reply) => pending.answer(reply))
    }
    if (route.method === 'POST' || route.method === 'PATCH') pending.receive(context.settings.maxBodyBytes, run)
    else run(NO_BODY)
  }
}

const NO_BODY = Buffer.alloc(0)

/** Async from the first step, so that `requestOf` rejects rather than throws for a request that cannot be read. */
async function answerOf(route: AdminRoute, requestOf: () => AdminRequest): Promise<Reply> {
  const { status, json, headers } = await route.answer(requestOf())
  return jsonReply(status, json, { ...NO_STORE, ...headers })
}
