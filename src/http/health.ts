import { App, us_listen_socket_close } from 'uWebSockets.js'
import { SingleFlight } from '../async/single-flight.ts'
import type { FrontLog, FrontOptions } from './contract.ts'
import { FrontContext } from './front-context.ts'
import { bind } from './listen.ts'
import { ERROR_REPLIES, errorReply, jsonReply, makeReply, NO_STORE, type Reply } from './reply.ts'
import { answerLater } from './route-handler.ts'
import { type Handler, Router, sendTo } from './router.ts'

const OK = jsonReply(200, { status: 'ok' }, NO_STORE)
const READY = jsonReply(200, { status: 'ready' }, NO_STORE)
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Adds /healthz, /readyz and, if `metrics` is given, /metrics. */
export function routeHealth(router: Router, context: FrontContext, { ready, metrics }: FrontOptions): void {
  router.add('GET', '/healthz', (res, req) => sendTo(res, req, OK))
  router.add(
    'GET',
    '/readyz',
    sharedReply(context, () => (context.refusing ? Promise.resolve(ERROR_REPLIES.shutting_down) : readiness(ready))),
  )
  if (metrics) routeMetrics(router, context, metrics)
}

function routeMetrics(router: Router, context: FrontContext, metrics: () => Promise<string>): void {
  router.add(
    'GET',
    '/metrics',
    sharedReply(context, () => metrics().then(metricsReply)),
  )
}

const metricsReply = (text: string) => makeReply(200, text, { 'Content-Type': METRICS_TYPE, ...NO_STORE })

async function readiness(ready: FrontOptions['ready']): Promise<Reply> {
  const missing = await ready()
  return missing.length === 0 ? READY : errorReply('not_ready', `not ready: ${missing.join(', ')}`, NO_STORE)
}

/**
 * Returns a handler whose requests share one reply while it is made (single flight): frequent requests cost no more
 * than one.
 */
function sharedReply(context: FrontContext, make: () => Promise<Reply>): Handler {
  const flight = new SingleFlight(() => make().catch((error) => context.failure(error)))
  return (res, req) => answerLater(res, req, context, () => flight.run())
}

const NOTHING = { maxBodyBytes: 0, intakeToken: '', gatewaySecret: '', parameters: { targets: {}, strict: false } }

/** Creates a front that serves only /metrics, Prometheus text, on a port of its own. */
export function createMetricsFront(metrics: () => Promise<string>, log: FrontLog) {
  const app = App()
  const router = new Router()
  routeMetrics(router, new FrontContext({ ...NOTHING, log }), metrics)
  router.mount(app)
  app.any('/*', (res, req) => sendTo(res, req, ERROR_REPLIES.not_found))
  let state: 'idle' | 'closed' = 'idle'
  let stopListening = () => {}
  return {
    /** Rejects when the address cannot be bound. */
    async listen(host: string, port: number): Promise<void> {
      const { socket } = await bind(app, { host, port, shared: 'no' })
      stopListening = () => us_listen_socket_close(socket)
    },
    /** Ends all connections. Must be called before the thread ends. Idempotent. */
    close(): void {
      if (state === 'closed') return
      state = 'closed'
      stopListening()
      app.close()
    },
  }
}
