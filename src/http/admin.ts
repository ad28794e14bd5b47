import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { addressKey, type LoginThrottle } from './auth.ts'
import { jsonOf } from './body/documents.ts'
import type { AdminRoute } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { ERROR_REPLIES, errorReply, jsonReply, NO_STORE, retryAfter } from './reply.ts'
import { handlerOf } from './route-handler.ts'
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
