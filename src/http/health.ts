import type { FrontOptions } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { PendingResponse } from './pending-response.ts'
import { ERROR_REPLIES, errorReply, jsonReply, makeReply, NO_STORE, type Reply } from './reply.ts'
import { type Handler, type Router, sendTo } from './router.ts'

const OK = jsonReply(200, { status: 'ok' }, NO_STORE)
const READY = jsonReply(200, { status: 'ready' }, NO_STORE)
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Routes /healthz, /readyz and, when there are any, /metrics. */
export function routeHealth(router: Router, context: FrontContext, { ready, metrics }: FrontOptions): void {
  router.add('GET', '/healthz', (res, req) => sendTo(res, req, OK))
  router.add(
    'GET',
    '/readyz',
    singleFlight(context, () => (context.refusing ? Promise.resolve(ERROR_REPLIES.shutting_down) : readiness(ready))),
  )
  if (metrics) routeMetrics(router, context, metrics)
}

export function routeMetrics(router: Router, context: FrontContext, metrics: () => Promise<string>): void {
  router.add(
    'GET',
    '/metrics',
    singleFlight(context, () => metrics().then(metricsReply)),
  )
}

const metricsReply = (text: string) => makeReply(200, text, { 'Content-Type': METRICS_TYPE, ...NO_STORE })

async function readiness(ready: FrontOptions['ready']): Promise<Reply> {
  const missing = await ready()
  return missing.length === 0 ? READY : errorReply('not_ready', `not ready: ${missing.join(', ')}`, NO_STORE)
}

/** Requests that come while an answer is being made share it: asking often costs no more than asking once. */
function singleFlight(context: FrontContext, make: () => Promise<Reply>): Handler {
  let making: Promise<Reply> | undefined
  return (res, req) => {
    const pending = new PendingResponse(res, context.inflight)
    pending.bodiless = req.getMethod() === 'head'
    pending.begin()
    making ??= Promise.resolve()
      .then(make)
      .catch((error) => context.failure(error))
      .finally(() => {
        making = undefined
      })
    making.then((reply) => pending.answer(reply))
  }
}
