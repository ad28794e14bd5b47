import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { CodedError } from '../domain/errors.ts'
import { addressKey } from './auth.ts'
import { isZipped, unzip } from './body/unzip.ts'
import type { PublicRequest, PublicRoute } from './contract.ts'
import { credentialsOf } from './credentials.ts'
import type { FrontContext } from './front-context.ts'
import { PendingResponse } from './pending-response.ts'
import { makeReply, type Reply } from './reply.ts'
import type { Handler } from './router.ts'

interface HandledRoute extends Pick<PublicRoute, 'path' | 'headers' | 'maxBodyBytes' | 'gzip'> {
  readonly method: string
  /** The sender is not known before the body is read. */
  readonly ofStrangers?: boolean
  /** Returns whether the body is read; else the route gets an empty one. */
  readonly mayBring?: ((headers: PublicRequest['headers']) => boolean) | undefined
}

const NO_BODY = Buffer.alloc(0)

/**
 * Returns the handler of a route. `answer` must read the body, and what else it needs of it, before it first waits; its
 * error becomes the reply.
 */
export function handlerOf(
  context: FrontContext,
  { method, path, headers: headerNames = [], maxBodyBytes, gzip = false, ofStrangers, mayBring }: HandledRoute,
  answer: (request: PublicRequest) => Promise<Reply>,
): Handler {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
  return (res, req) => {
    const pending = new PendingResponse(res, context.inflight)
    pending.bodiless = req.getMethod() === 'head'
    if (ofStrangers) pending.held = context.inflight.heldOfStrangers
    const segments = names.map((name, at) => [name, req.getParameter(at) ?? ''] as const)
    const query = req.getQuery() ?? ''
    const headers = Object.fromEntries(headerNames.map((name) => [name, req.getHeader(name)]))
    const client = {
      address: Buffer.from(res.getRemoteAddressAsText()).toString(),
      network: addressKey(res.getRemoteAddress()),
    }
    const reply = async (body: Buffer) => answer({ params: paramsOf(segments), query, headers, body, ...client })
    const run = (body: Buffer) => {
      pending.begin()
      settle(pending, context, reply(body))
    }
    if (method === 'GET' || method === 'DELETE' || mayBring?.(headers) === false) return run(NO_BODY)
    const maxBytes = maxBodyBytes ?? context.settings.maxBodyBytes
    const zipped = gzip && zippedOf(req)
    if (zipped instanceof CodedError) return pending.answer(context.failure(zipped))
    pending.receive(maxBytes, zipped ? (body) => unzip(pending, Buffer.from(body), maxBytes, run) : run)
  }
}

/** Answers a request whose body is not read. */
export function answerLater(
  res: HttpResponse,
  req: HttpRequest,
  context: FrontContext,
  reply: () => Promise<Reply>,
): void {
  const pending = new PendingResponse(res, context.inflight)
  pending.bodiless = req.getMethod() === 'head'
  pending.begin()
  settle(pending, context, reply())
}

function settle(pending: PendingResponse, context: FrontContext, reply: Promise<Reply>): void {
  reply.catch((error) => context.failure(error)).then((made) => pending.answer(made))
}

function zippedOf(req: HttpRequest): boolean | CodedError {
  try {
    return isZipped(req.getHeader('content-encoding'))
  } catch (error) {
    return error as CodedError
  }
}

/** Decodes percent escapes. Throws bad_parameter. */
function paramsOf(segments: readonly (readonly [name: string, raw: string])[]): PublicRequest['params'] {
  try {
    return Object.fromEntries(segments.map(([name, raw]) => [name, decodeURIComponent(raw)]))
  } catch {
    throw new CodedError('bad_parameter', 'the path is not percent-encoded UTF-8')
  }
}

/** Returns the handler of a route that needs no gateway secret. */
export function publicHandlerOf(context: FrontContext, route: PublicRoute): Handler {
  const isKnown = route.takesIntakeToken === true
  const mayBring = isKnown ? (headers: PublicRequest['headers']) => showsIntakeKey(context, headers) : undefined
  return handlerOf(context, { ...route, ofStrangers: !isKnown, mayBring }, async (request) => {
    const { status, body, headers } = await route.answer({ ...request, body: Buffer.from(request.body) })
    return makeReply(status, body, headers)
  })
}

/** Returns true without an intake token. The gateway secret opens what the token opens. */
function showsIntakeKey({ settings }: FrontContext, headers: PublicRequest['headers']): boolean {
  const { intakeToken, gateway } = settings
  if (intakeToken === undefined) return true
  return credentialsOf(headers).some((key) => intakeToken.matches(key) || gateway?.matches(key))
}
