import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { CodedError } from '../domain/errors.ts'
import { addressKey, Guesses } from './auth.ts'
import { jsonOf } from './body.ts'
import type { Desk } from './desk.ts'
import { Exchange } from './exchange.ts'
import type { AdminRequest, AdminRoute } from './front.ts'
import { errorReply, jsonReply, NO_STORE, REFUSALS, type Reply, retryAfter } from './reply.ts'
import { type Gate, type Handler, Router, sendTo } from './router.ts'

const GATED = ['/api/admin/', '/api/agent/']
const UNAUTHORIZED = errorReply('unauthorized', undefined, NO_STORE)

/** Serves the gated routes; below their prefixes nothing answers a request without the secret, not even with what exists. */
export function mountAdmin(app: TemplatedApp, desk: Desk, routes: readonly AdminRoute[]): void {
  const router = new Router()
  for (const route of routes) {
    if (!GATED.some((prefix) => route.path.startsWith(prefix))) throw new Error(`${route.path} is not a gated path`)
    router.add(route.method, route.path, handlerOf(desk, route))
  }
  const gate = gateOf(desk, new Guesses(() => performance.now()))
  router.mount(app, gate)
  for (const prefix of GATED)
    app.any(`${prefix}*`, (res, req) => void (gate(res, req) || sendTo(res, req, REFUSALS.not_found)))
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
  const names = [...route.path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
  return (res, req) => {
    const exchange = new Exchange(res, desk.load)
    exchange.bodiless = req.getMethod() === 'head'
    const segments = names.map((name, at): Segment => [name, req.getParameter(at) ?? ''])
    const query = req.getQuery()
    const run = (body: Buffer) => {
      exchange.begin()
      answerOf(route, () => ({ params: decoded(segments), query: new URLSearchParams(query), body: jsonOf(body) }))
        .catch((error) => desk.failure(error))
        .then((reply) => exchange.answer(reply))
    }
    if (route.method === 'POST') exchange.receive(desk.settings.maxBodyBytes, run)
    else run(NO_BODY)
  }
}

/** A route parameter's name and what the path has in its place. */
type Segment = readonly [name: string, raw: string]
const NO_BODY = Buffer.alloc(0)

/** Asynchronous from its first step, so that a request that cannot be read is a rejection like any other. */
async function answerOf(route: AdminRoute, requestOf: () => AdminRequest): Promise<Reply> {
  const { status, json, headers } = await route.answer(requestOf())
  return jsonReply(status, json, { ...NO_STORE, ...headers })
}

function decoded(segments: readonly Segment[]): AdminRequest['params'] {
  try {
    return Object.fromEntries(segments.map(([name, raw]) => [name, decodeURIComponent(raw)]))
  } catch {
    throw new CodedError('bad_parameter', 'the path is not percent-encoded UTF-8')
  }
}
