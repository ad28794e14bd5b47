import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { gunzip } from 'node:zlib'
import { CodedError } from '../domain/errors.ts'
import type { Overrides } from '../domain/incident.ts'
import { bearerOf } from './auth.ts'
import { type Documents, documentsOf, type Format, formatOf } from './body/documents.ts'
import type { Intake, IntakeAnswer, Submit } from './contract.ts'
import type { FrontContext, Settings } from './front-context.ts'
import { overridesOf } from './parameters.ts'
import { PendingResponse } from './pending-response.ts'
import { ERROR_REPLIES, errorReply, jsonReply, type Reply, send } from './reply.ts'

/** The query and headers that the intake reads. */
interface RequestHead {
  readonly format: Format
  readonly zipped: boolean
  /** The Idempotency-Key; '' without one. */
  readonly key: string
  readonly overrides: Overrides | undefined
}

/** A request whose query and headers are valid. */
interface AcceptedRequest {
  readonly pending: PendingResponse
  readonly head: RequestHead
  readonly settings: Settings
}

const CREATED = jsonReply(201, { status: 'Incident created' })
const DUPLICATE = jsonReply(200, { status: 'Incident already created' })
const UNAUTHORIZED = errorReply('unauthorized', undefined, { 'WWW-Authenticate': 'Bearer' })
const KEY = /^[\x21-\x7e]{1,255}$/

/** Handles POST /api/incidents. */
export class IntakeHandler {
  readonly #context: FrontContext
  readonly #submit: Submit
  #state: 'open' | 'submitting' = 'open'
  #deferred: (() => void)[] = []

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
    const accepted = { pending, head, settings }
    pending.receive(settings.maxBodyBytes, (body) =>
      head.zipped ? this.#unzip(accepted, body) : this.#submitDocuments(accepted, body),
    )
  }

  #refuse(res: HttpResponse, reply: Reply): void {
    if (reply.code !== undefined) this.#context.refused(reply.code)
    send(res, reply)
  }

  #unzip(accepted: AcceptedRequest, body: Buffer): void {
    const { maxBodyBytes } = accepted.settings
    if (!accepted.pending.hold(maxBodyBytes)) return
    accepted.pending.uploading()
    gunzip(body, { maxOutputLength: maxBodyBytes }, (error: NodeJS.ErrnoException | null, whole) => {
      if (accepted.pending.over) return
      if (error === null) this.#submitDocuments(accepted, whole)
      else accepted.pending.answer(error.code === 'ERR_BUFFER_TOO_LARGE' ? ERROR_REPLIES.body_too_large : BAD_GZIP)
    })
  }

  #submitDocuments({ pending, head, settings }: AcceptedRequest, body: Buffer): void {
    pending.begin()
    try {
      const sent = documentsOf(body, head.format)
      if (settings.onPayload) for (const { payload } of sent.documents) settings.onPayload(JSON.stringify(payload))
      // The callback keeps a number, not the documents: parsed payloads may need much more memory than the body.
      const count = sent.many ? sent.documents.length : undefined
      this.#state = 'submitting'
      const accepted = this.#submit(intakeOf(sent, head), (result) =>
        this.#answer(() => answer(pending, count, result)),
      )
      this.#state = 'open'
      if (!accepted) pending.answer(ERROR_REPLIES.ingest_full)
    } catch (error) {
      this.#state = 'open'
      pending.answer(this.#context.failure(error))
    }
  }

  /**
   * Inside the handler of a socket uWebSockets.js corks the writes of that socket only; the answer to another one would
   * take a dozen system calls. So answers that arrive while a request is being submitted are sent at the end of the
   * turn.
   */
  #answer(respond: () => void): void {
    if (this.#state === 'open') return respond()
    if (this.#deferred.length === 0) setImmediate(() => this.#answerDeferred())
    this.#deferred.push(respond)
  }

  #answerDeferred(): void {
    const deferred = this.#deferred
    this.#deferred = []
    for (const respond of deferred) {
      try {
        respond()
      } catch (error) {
        this.#context.failure(error)
      }
    }
  }
}

const BAD_GZIP = ERROR_REPLIES.body_bad_encoding

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
  return { format, zipped, key, overrides: query ? overridesOf(query, settings.allowedOverrides) : undefined }
}
const KEY_RULE = 'the Idempotency-Key must be 1 to 255 visible ASCII characters'

/**
 * Tells whether a browser sent the request for a page. Browsers let pages of any site post to services inside the
 * user's network, without a preflight request, if the request has no Content-Type.
 */
const isFromPage = (req: HttpRequest) => req.getHeader('origin') !== ''

function isZipped(encoding: string): boolean {
  if (encoding === '') return false
  const name = encoding.toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return true
  if (name === 'identity') return false
  throw new CodedError('unsupported_encoding')
}

function intakeOf({ documents }: Documents, { key, overrides }: RequestHead): Intake {
  const intake: { -readonly [K in keyof Intake]: Intake[K] } = { documents, receivedAt: Date.now() }
  if (key !== '') intake.key = key
  if (overrides !== undefined) intake.overrides = overrides
  return intake
}

/** `count`: number of incidents of a list, undefined for a single object. */
function answer(pending: PendingResponse, count: number | undefined, result: IntakeAnswer): void {
  switch (result.kind) {
    case 'created':
      return pending.answer(count === undefined ? CREATED : createdMany(count), result.id)
    case 'duplicate':
      return pending.answer(DUPLICATE, result.id)
    case 'refused':
      return pending.answer(ERROR_REPLIES[result.code])
    default:
      return result satisfies never
  }
}

const createdMany = (count: number) => jsonReply(201, { status: 'Incidents created', count })
