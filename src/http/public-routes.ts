import type { PublicRequest, PublicRoute } from './contract.ts'
import type { FrontContext } from './front-context.ts'
import { paramsOf, segmentsOf } from './path-params.ts'
import { PendingResponse } from './pending-response.ts'
import { makeReply, type Reply } from './reply.ts'
import type { Handler, Router } from './router.ts'

/** Adds the routes that need no gateway secret. */
export function routePublic(router: Router, context: FrontContext, routes: readonly PublicRoute[]): void {
  for (const route of routes) router.add(route.method, route.path, handlerOf(context, route))
}

function handlerOf(context: FrontContext, route: PublicRoute): Handler {
  const segments = segmentsOf(route.path)
  const names = route.headers ?? []
  return (res, req) => {
    const pending = new PendingResponse(res, context.inflight)
    pending.bodiless = req.getMethod() === 'head'
    const given = segments(req)
    const query = req.getQuery() ?? ''
    const headers = Object.fromEntries(names.map((name) => [name, req.getHeader(name)]))
    const run = (body: Buffer) => {
      pending.begin()
      answerOf(route, () => ({ params: paramsOf(given), query, headers, body: Buffer.from(body) }))
        .catch((error) => context.failure(error))
        .then((reply) => pending.answer(reply))
    }
    if (route.method === 'POST') pending.receive(route.maxBodyBytes ?? context.settings.maxBodyBytes, run)
    else run(NO_BODY)
  }
}

const NO_BODY = Buffer.alloc(0)

async function answerOf(route: PublicRoute, requestOf: () => PublicRequest): Promise<Reply> {
  const { status, body, headers } = await route.answer(requestOf())
  return makeReply(status, body, headers)
}
