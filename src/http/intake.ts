import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { gunzip } from 'node:zlib'
import { CodedError } from '../domain/errors.ts'
import type { Overrides } from '../domain/incident.ts'
import { bearerOf } from './auth.ts'
import { type Documents, documentsOf, type Format, formatOf } from './body.ts'
import type { Intake, IntakeAnswer, Submit } from './contract.ts'
import type { Desk, Settings } from './front-context.ts'
import { overridesOf } from './parameters.ts'
import { Exchange } from './pending-response.ts'
import { errorReply, jsonReply, REFUSALS, type Reply, send } from './reply.ts'

/** What the head of a request says. */
interface Head {
  readonly format: Format
  readonly zipped: boolean
  /** '': none. */
  readonly key: string
  readonly overrides: Overrides | undefined
}

/** One request whose head was taken. */
interface Post {
  readonly exchange: Exchange
  readonly head: Head
  readonly settings: Settings
}

const CREATED = jsonReply(201, { status: 'Incident created' })
const DUPLICATE = jsonReply(200, { status: 'Incident already created' })
const UNAUTHORIZED = errorReply('unauthorized', undefined, { 'WWW-Authenticate': 'Bearer' })
const KEY = /^[\x21-\x7e]{1,255}$/

/** Handles POST /api/incidents. */
export class IntakeDesk {
  readonly #desk: Desk
  readonly #submit: Submit
  #state: 'open' | 'submitting' = 'open'
  #late: (() => void)[] = []

  constructor(desk: Desk, submit: Submit) {
    this.#desk = desk
    this.#submit = submit
  }

  /** Refused by its head, a request is answered before its body is read; uWebSockets.js throws that away for some ten seconds. */
  handle(res: HttpResponse, req: HttpRequest): void {
    const { settings, refusing, load } = this.#desk
    if (refusing) return this.#refuse(res, REFUSALS.shutting_down)
    if (!isAllowed(req, settings)) return this.#refuse(res, UNAUTHORIZED)
    let head: Head
    try {
      head = headOf(req, settings)
    } catch (error) {
      return this.#refuse(res, this.#desk.failure(error))
    }
    const exchange = new Exchange(res, load, this.#desk.refused)
    const post = { exchange, head, settings }
    exchange.receive(settings.maxBodyBytes, (body) => (head.zipped ? this.#unzip(post, body) : this.#take(post, body)))
  }

  #refuse(res: HttpResponse, reply: Reply): void {
    if (reply.code !== undefined) this.#desk.refused(reply.code)
    send(res, reply)
  }

  #unzip(post: Post, body: Buffer): void {
    const { maxBodyBytes } = post.settings
    if (!post.exchange.hold(maxBodyBytes)) return
    post.exchange.uploading()
    gunzip(body, { maxOutputLength: maxBodyBytes }, (error: NodeJS.ErrnoException | null, whole) => {
      if (post.exchange.over) return
      if (error === null) this.#take(post, whole)
      else post.exchange.answer(error.code === 'ERR_BUFFER_TOO_LARGE' ? REFUSALS.body_too_large : BAD_ZIP)
    })
  }

  #take({ exchange, head, settings }: Post, body: Buffer): void {
    exchange.begin()
    try {
      const sent = documentsOf(body, head.format)
      if (settings.onPayload) for (const { payload } of sent.documents) settings.onPayload(JSON.stringify(payload))
      // The answer holds on to a number: the payloads may weigh much more than the body did.
      const count = sent.many ? sent.documents.length : undefined
      this.#state = 'submitting'
      const taken = this.#submit(intakeOf(sent, head), (result) => this.#answer(() => answer(exchange, count, result)))
      this.#state = 'open'
      if (!taken) exchange.answer(REFUSALS.ingest_full)
    } catch (error) {
      this.#state = 'open'
      exchange.answer(this.#desk.failure(error))
    }
  }

  /**
   * Inside the handler of one socket uWebSockets.js gathers that one's answer alone; any other would go in a dozen writes. So what is answered while a request
   * is being submitted goes at the end of the turn.
   */
  #answer(tell: () => void): void {
    if (this.#state === 'open') return tell()
    if (this.#late.length === 0) setImmediate(() => this.#answerLate())
    this.#late.push(tell)
  }

  #answerLate(): void {
    const late = this.#late
    this.#late = []
    for (const tell of late) {
      try {
        tell()
      } catch (error) {
        this.#desk.failure(error)
      }
    }
  }
}

const BAD_ZIP = REFUSALS.body_bad_encoding

function isAllowed(req: HttpRequest, { intakeToken }: Settings): boolean {
  return intakeToken === undefined || intakeToken.matches(bearerOf(req.getHeader('authorization')))
}

/** Throws what is wrong. Only headers that matter are read: each costs a call into uWebSockets.js. */
function headOf(req: HttpRequest, settings: Settings): Head {
  const type = req.getHeader('content-type')
  const format = formatOf(type)
  if (format === undefined || (type === '' && isFromPage(req))) throw new CodedError('unsupported_type')
  const zipped = isZipped(req.getHeader('content-encoding'))
  if (Number(req.getHeader('content-length')) > settings.maxBodyBytes) throw new CodedError('body_too_large')
  const key = req.getHeader('idempotency-key')
  if (key !== '' && !KEY.test(key)) throw new CodedError('bad_idempotency_key', KEY_RULE)
  const query = req.getQuery()
  return { format, zipped, key, overrides: query ? overridesOf(query, settings.choices) : undefined }
}
const KEY_RULE = 'the Idempotency-Key must be 1 to 255 visible ASCII characters'

/** A page of any site can have its reader's browser post to a service inside the reader's network, as long as it names no type. */
const isFromPage = (req: HttpRequest) => req.getHeader('origin') !== ''

function isZipped(encoding: string): boolean {
  if (encoding === '') return false
  const name = encoding.toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return true
  if (name === 'identity') return false
  throw new CodedError('unsupported_encoding')
}

function intakeOf({ documents }: Documents, { key, overrides }: Head): Intake {
  const intake: { -readonly [K in keyof Intake]: Intake[K] } = { documents, receivedAt: Date.now() }
  if (key !== '') intake.key = key
  if (overrides !== undefined) intake.overrides = overrides
  return intake
}

/** `count`: of a request that was sent as a list. */
function answer(exchange: Exchange, count: number | undefined, result: IntakeAnswer): void {
  switch (result.kind) {
    case 'created':
      return exchange.answer(count === undefined ? CREATED : createdMany(count), result.id)
    case 'duplicate':
      return exchange.answer(DUPLICATE, result.id)
    case 'refused':
      return exchange.answer(REFUSALS[result.code])
    default:
      return result satisfies never
  }
}

const createdMany = (count: number) => jsonReply(201, { status: 'Incidents created', count })
