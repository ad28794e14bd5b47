import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { CodedError } from '../domain/errors.ts'
import type { BodyFormat, Overrides } from '../domain/incident.ts'
import { asciiJson } from '../text/visible.ts'
import { bearerOf } from './auth.ts'
import { formatOf, payloadsOf } from './body/documents.ts'
import { isZipped, unzip } from './body/unzip.ts'
import type { Intake, IntakeAnswer, Submit } from './contract.ts'
import type { FrontContext, Settings } from './front-context.ts'
import { PendingResponse } from './pending-response.ts'
import { ERROR_REPLIES, errorReply, jsonReply, type Reply, type ReplyHeaders, send } from './reply.ts'

/** The query and headers that the intake reads. */
interface RequestHead {
  readonly format: BodyFormat
  readonly zipped: boolean
  readonly key: string | undefined
  readonly overrides: Overrides | undefined
}

const created = (headers?: ReplyHeaders) => jsonReply(201, { status: 'Incident created' }, headers)
const CREATED = created()
const DUPLICATE = jsonReply(200, { status: 'Incident already created' })
const UNAUTHORIZED = errorReply('unauthorized', undefined, { 'WWW-Authenticate': 'Bearer' })
const KEY = /^[\x21-\x7e]{1,255}$/

/** A request whose query and headers are valid. */
class IntakeRequest implements Intake {
  readonly pending: PendingResponse
  readonly settings: Settings
  readonly source = 'webhook'
  readonly format: BodyFormat
  readonly key: string | undefined
  readonly overrides: Overrides | undefined
  receivedAt = 0
  readonly #warned: FrontContext['warned']

  constructor(pending: PendingResponse, { format, key, overrides }: RequestHead, { settings, warned }: FrontContext) {
    this.pending = pending
    this.settings = settings
    this.#warned = warned
    this.format = format
    this.key = key
    this.overrides = overrides
  }

  answer(result: IntakeAnswer): void {
    switch (result.kind) {
      case 'created':
        return this.pending.answer(this.#created(result.count), result.id)
      case 'duplicate':
        return this.pending.answer(DUPLICATE, result.id)
      case 'refused':
        return this.pending.answer(ERROR_REPLIES[result.code])
      default:
        return result satisfies never
    }
  }

  #created(count: number | undefined): Reply {
    const warnings = this.overrides?.warnings
    if (warnings === undefined) return count === undefined ? CREATED : createdMany(count)
    this.#warned(warnings)
    const headers = { 'X-Tocsin-Warning': asciiJson(warnings.join('; ')) }
    return count === undefined ? created(headers) : createdMany(count, headers)
  }
}

const createdMany = (count: number, headers?: ReplyHeaders) =>
  jsonReply(201, { status: 'Incidents created', count }, headers)

/** Handles POST /api/incidents. */
export class IntakeHandler {
  readonly #context: FrontContext
  readonly #submit: Submit

  constructor(context: FrontContext, submit: Submit) {
    this.#context = context
    this.#submit = submit
  }

  /**
   * Refuses by query and headers before reading the body. uWebSockets.js then discards the body for about ten seconds.
   */
  handle(res: HttpResponse, req: HttpRequest): void {
    const { settings, refusing, inflight } = this.#context
    if (refusing) return this.#refuse(res, ERROR_REPLIES.shutting_down)
    if (!isAllowed(req, settings)) return this.#refuse(res, UNAUTHORIZED)
    let head: RequestHead
    try {
      head = headOf(req, settings)
    } catch (error) {
      return this.#refuse(res, this.#context.failure(error))
    }
    const pending = new PendingResponse(res, inflight, this.#context.refused)
    const request = new IntakeRequest(pending, head, this.#context)
    pending.receive(settings.maxBodyBytes, (body) =>
      head.zipped
        ? unzip(pending, Buffer.from(body), settings.maxBodyBytes, (unpacked) => this.#take(request, unpacked))
        : this.#take(request, body),
    )
  }

  #refuse(res: HttpResponse, reply: Reply): void {
    if (reply.code !== undefined) this.#context.refused(reply.code)
    send(res, reply)
  }

  #take(request: IntakeRequest, body: Buffer): void {
    const { pending } = request
    pending.begin()
    try {
      showPayloads(request, body)
      request.receivedAt = this.#context.now()
      const submitted = this.#submit(request, body)
      if (submitted === 'taken') return
      pending.answer(submitted === 'invalid' ? this.#refusalOf(body, request.format) : ERROR_REPLIES[submitted])
    } catch (error) {
      pending.answer(this.#context.failure(error))
    }
  }

  /** Parses a body that is not valid, for the place of its first error. */
  #refusalOf(body: Buffer, format: BodyFormat): Reply {
    try {
      payloadsOf(body, format)
    } catch (error) {
      return this.#context.failure(error)
    }
    return this.#context.failure(new Error('a body was refused that can be parsed'))
  }
}

function showPayloads({ settings, format }: IntakeRequest, body: Buffer): void {
  if (settings.onPayload === undefined) return
  for (const payload of payloadsOf(body, format)) settings.onPayload(JSON.stringify(payload))
}

function isAllowed(req: HttpRequest, { intakeToken }: Settings): boolean {
  return intakeToken === undefined || intakeToken.matches(bearerOf(req.getHeader('authorization')))
}

/**
 * Reads query and headers, as few as possible: each header is a call into uWebSockets.js. Throws unsupported_type,
 * unsupported_encoding, body_too_large, bad_idempotency_key, bad_parameter.
 */
function headOf(req: HttpRequest, settings: Settings): RequestHead {
  const type = req.getHeader('content-type')
  const format = formatOf(type)
  if (format === undefined || (type === '' && isFromPage(req))) throw new CodedError('unsupported_type')
  const zipped = isZipped(req.getHeader('content-encoding'))
  if (Number(req.getHeader('content-length')) > settings.maxBodyBytes) throw new CodedError('body_too_large')
  const key = req.getHeader('idempotency-key')
  if (key !== '' && !KEY.test(key)) throw new CodedError('bad_idempotency_key', KEY_RULE)
  const query = req.getQuery()
  const overrides = query ? settings.overridesOf(query) : undefined
  return { format, zipped, key: key === '' ? undefined : key, overrides }
}
const KEY_RULE = 'the Idempotency-Key must be 1 to 255 visible ASCII characters'

/**
 * Tells whether a browser sent the request for a page. Browsers let pages of any site post to services inside the
 * user's network, without a preflight request, if the request has no Content-Type.
 */
const isFromPage = (req: HttpRequest) => req.getHeader('origin') !== ''
