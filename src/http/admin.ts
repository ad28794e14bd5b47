import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { addressKey, Guesses } from './auth.ts'
import { jsonOf } from './body.ts'
import type { AdminRequest, AdminRoute } from './contract.ts'
import type { Desk } from './front-context.ts'
import { paramsOf, segmentsOf } from './path-params.ts'
import { Exchange } from './pending-response.ts'
import { errorReply, jsonReply, NO_STORE, REFUSALS, type Reply, retryAfter } from './reply.ts'
import { type Gate, type Handler, Router, sendTo } from './router.ts'

const GATED = ['/api/admin/', '/api/agent/']
const UNAUTHORIZED = errorReply('unauthorized', undefined, NO_STORE)

/** Serves the gated routes; below their prefixes nothing answers a request without the secret, not even with what exists. */
export function mountAdmin(app: TemplatedApp, desk: Desk, routes: readonly AdminRoute[]): Router {
  const router = new Router()
  for (const route of routes) {
    if (!GATED.some((prefix) => route.path.startsWith(prefix))) throw new Error(`${route.path} is not a gated path`)
    router.add(route.method, route.path, handlerOf(desk, route))
  }
  const gate = gateOf(desk, new Guesses(() => performance.now()))
  router.mount(app, gate)
  for (const prefix of GATED)
    app.any(`${prefix}*`, (res, req) => void (gate(res, req) || sendTo(res, req, REFUSALS.not_found)))
  return router
}

function gateOf(desk: Desk, guesses: Guesses): Gate {
  const refusal = (res: HttpResponse, req: HttpRequest) => {
    const { gateway } = desk.settings
    if (gateway === undefined) return REFUSALS.not_found
    const given = req.getHeader('x-gateway-secret')
    if (given === '') return UNAUTHORIZED
    const address = addressKey(res.getRemoteAddress())
    const blockedSeconds = guesses.blockedForSeconds(address)
    if (blockedSeconds > 0)
      return errorReply('too_many_attempts', undefined, { ...NO_STORE, ...retryAfter(blockedSeconds) })
    if (gateway.matches(given)) return guesses.right(address)
    if (guesses.wrong(address))
      desk.log.warn({ address: addressText(res) }, 'too many wrong gateway secrets from one address')
    return UNAUTHORIZED
  }
  return (res, req) => {
    const reply = refusal(res, req)
    if (reply !== undefined) sendTo(res, req, reply)
    return reply !== undefined
  }
}

const addressText = (res: HttpResponse) => Buffer.from(res.getRemoteAddressAsText()).toString()

function handlerOf(desk: Desk, route: AdminRoute): Handler {
  const segments = segmentsOf(route.path)
  const bodyOf = route.takes === 'bytes' ? (body: Buffer) => body : jsonOf
  return (res, req) => {
    const exchange = new Exchange(res, desk.load)
    exchange.bodiless = req.getMethod() === 'head'
    const given = segments(req)
    const query = req.getQuery()
    const contentType = req.getHeader('content-type')
    const run = (body: Buffer) => {
      exchange.begin()
      const requestOf = () => ({
        params: paramsOf(given),
        query: new URLSearchParams(query),
        body: bodyOf(body),
        contentType,
      })
      answerOf(route, requestOf)
        .catch((error) => desk.failure(error))
        .then((reply) => exchange.answer(reply))
    }
    if (route.method === 'POST') exchange.receive(desk.settings.maxBodyBytes, run)
    else run(NO_BODY)
  }
}

const NO_BODY = Buffer.alloc(0)

/** Asynchronous from its first step, so that a request that cannot be read is a rejection like any other. */
async function answerOf(route: AdminRoute, requestOf: () => AdminRequest): Promise<Reply> {
  const { status, json, headers } = await route.answer(requestOf())
  return jsonReply(status, json, { ...NO_STORE, ...headers })
}
