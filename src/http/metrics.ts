import { App, us_listen_socket_close } from 'uWebSockets.js'
import type { FrontLog } from './contract.ts'
import { FrontContext } from './front-context.ts'
import { routeMetrics } from './health.ts'
import { bind } from './listen.ts'
import { ERROR_REPLIES } from './reply.ts'
import { Router, sendTo } from './router.ts'

interface MetricsFront {
  /** Rejects when the address cannot be bound. */
  listen(host: string, port: number): Promise<void>
  /** Ends all connections. Must be called before the thread ends. Idempotent. */
  close(): void
}

export interface MetricsFrontOptions {
  /** Prometheus text. */
  metrics(): Promise<string>
  readonly log: FrontLog
}

const NOTHING = { maxBodyBytes: 0, intakeToken: '', gatewaySecret: '', parameters: { targets: {}, strict: false } }

/** Creates a front that serves only /metrics, on a port of its own. */
export function createMetricsFront({ metrics, log }: MetricsFrontOptions): MetricsFront {
  const app = App()
  const router = new Router()
  routeMetrics(router, new FrontContext({ ...NOTHING, log }), metrics)
  router.mount(app)
  app.any('/*', (res, req) => sendTo(res, req, ERROR_REPLIES.not_found))
  let state: 'idle' | 'closed' = 'idle'
  let stopListening = () => {}
  return {
    async listen(host, port) {
      const { socket } = await bind(app, { host, port, shared: 'no' })
      stopListening = () => us_listen_socket_close(socket)
    },
    close() {
      if (state === 'closed') return
      state = 'closed'
      stopListening()
      app.close()
    },
  }
}
