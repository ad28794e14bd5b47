import type { OpenRequest, OpenRoute } from './contract.ts'
import type { Desk } from './front-context.ts'
import { paramsOf, segmentsOf } from './path-params.ts'
import { Exchange } from './pending-response.ts'
import { makeReply, type Reply } from './reply.ts'
import type { Handler, Router } from './router.ts'

/** Routes what is served without a secret. */
export function routeOpen(router: Router, desk: Desk, routes: readonly OpenRoute[]): void {
  for (const route of routes) router.add(route.method, route.path, handlerOf(desk, route))
}

function handlerOf(desk: Desk, route: OpenRoute): Handler {
  const segments = segmentsOf(route.path)
  const names = route.headers ?? []
  return (res, req) => {
    const exchange = new Exchange(res, desk.load)
    exchange.bodiless = req.getMethod() === 'head'
    const given = segments(req)
    const query = req.getQuery() ?? ''
    const headers = Object.fromEntries(names.map((name) => [name, req.getHeader(name)]))
    const run = (body: Buffer) => {
      exchange.begin()
      answerOf(route, () => ({ params: paramsOf(given), query, headers, body }))
        .catch((error) => desk.failure(error))
        .then((reply) => exchange.answer(reply))
    }
    if (route.method === 'POST') exchange.receive(route.maxBodyBytes ?? desk.settings.maxBodyBytes, run)
    else run(NO_BODY)
  }
}

const NO_BODY = Buffer.alloc(0)

async function answerOf(route: OpenRoute, requestOf: () => OpenRequest): Promise<Reply> {
  const { status, body, headers } = await route.answer(requestOf())
  return makeReply(status, body, headers)
}
