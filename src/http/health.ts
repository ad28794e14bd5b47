import type { FrontOptions } from './contract.ts'
import type { Desk } from './front-context.ts'
import { Exchange } from './pending-response.ts'
import { errorReply, jsonReply, makeReply, NO_STORE, REFUSALS, type Reply } from './reply.ts'
import { type Handler, type Router, sendTo } from './router.ts'

const OK = jsonReply(200, { status: 'ok' }, NO_STORE)
const READY = jsonReply(200, { status: 'ready' }, NO_STORE)
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Routes /healthz, /readyz and, when there are any, /metrics. */
export function routeHealth(router: Router, desk: Desk, { ready, metrics }: FrontOptions): void {
  router.add('GET', '/healthz', (res, req) => sendTo(res, req, OK))
  router.add(
    'GET',
    '/readyz',
    asked(desk, () => (desk.refusing ? Promise.resolve(REFUSALS.shutting_down) : readiness(ready))),
  )
  if (metrics) routeMetrics(router, desk, metrics)
}

export function routeMetrics(router: Router, desk: Desk, metrics: () => Promise<string>): void {
  router.add(
    'GET',
    '/metrics',
    asked(desk, () => metrics().then(metricsReply)),
  )
}

const metricsReply = (text: string) => makeReply(200, text, { 'Content-Type': METRICS_TYPE, ...NO_STORE })

async function readiness(ready: FrontOptions['ready']): Promise<Reply> {
  const missing = await ready()
  return missing.length === 0 ? READY : errorReply('not_ready', `not ready: ${missing.join(', ')}`, NO_STORE)
}

/** Requests that come while an answer is being made share it: asking often costs no more than asking once. */
function asked(desk: Desk, make: () => Promise<Reply>): Handler {
  let making: Promise<Reply> | undefined
  return (res, req) => {
    const exchange = new Exchange(res, desk.load)
    exchange.bodiless = req.getMethod() === 'head'
    exchange.begin()
    making ??= Promise.resolve()
      .then(make)
      .catch((error) => desk.failure(error))
      .finally(() => {
        making = undefined
      })
    making.then((reply) => exchange.answer(reply))
  }
}
