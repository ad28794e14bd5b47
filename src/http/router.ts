import type { HttpRequest, HttpResponse, TemplatedApp } from 'uWebSockets.js'
import { errorReply, makeReply, type Reply, send, sendHead } from './reply.ts'

/** Must read what it needs of `req` before it returns: `req` is invalid afterwards. */
export type Handler = (res: HttpResponse, req: HttpRequest) => void
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Runs before the handler of a route. Returns true when it has answered. */
export type Guard = (res: HttpResponse, req: HttpRequest) => boolean

/**
 * Handlers by path and method. GET handlers also answer HEAD; the router answers OPTIONS, and other methods with 405.
 */
export class Router {
  readonly #paths = new Map<string, Map<string, Handler>>()

  add(method: Method, path: string, handler: Handler): void {
    const methods = this.#paths.get(path) ?? new Map<string, Handler>()
    if (methods.has(method)) throw new Error(`${method} ${path} is routed twice`)
    this.#paths.set(path, methods.set(method, handler))
  }

  /** All routes, such as `GET /healthz`. */
  get routes(): string[] {
    return Array.from(this.#paths, ([path, methods]) => [...methods.keys()].map((method) => `${method} ${path}`)).flat()
  }

  /** The order of paths does not matter: uWebSockets.js prefers plain segments to `:named` ones, and those to `/*`. */
  mount(app: TemplatedApp, guard: Guard = () => false): void {
    for (const [path, methods] of this.#paths) {
      const dispatch = dispatcher(methods)
      app.any(path, (res, req) => {
        if (!guard(res, req)) dispatch(res, req)
      })
    }
  }
}

/** Answers at once, inside a route's handler. */
export function sendTo(res: HttpResponse, req: HttpRequest, reply: Reply): void {
  if (req.getMethod() === 'head') sendHead(res, reply)
  else send(res, reply)
}

function dispatcher(methods: ReadonlyMap<string, Handler>): Handler {
  const allow = { Allow: [...methods.keys(), ...(methods.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ') }
  const notAllowed = errorReply('method_not_allowed', undefined, allow)
  const options = makeReply(204, '', allow)
  return (res, req) => {
    const method = req.getCaseSensitiveMethod()
    const handler = methods.get(method === 'HEAD' ? 'GET' : method)
    if (handler !== undefined) return handler(res, req)
    if (method === 'OPTIONS') res.writeStatus(options.head).endWithoutBody()
    else sendTo(res, req, notAllowed)
  }
}
