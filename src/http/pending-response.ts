import type { HttpResponse } from 'uWebSockets.js'
import type { ErrorCode } from '../domain/errors.ts'
import { ERROR_REPLIES, type Reply, send, sendHead } from './reply.ts'

/** Bytes of bodies that are held, and their bound. */
interface HeldBytes {
  bytes: number
  max: number
}

/** Bytes and requests that one front holds. */
export class InflightLimits {
  /** Bytes of bodies, from the first chunk to the answer. */
  readonly held: HeldBytes
  /** The same of routes whose clients show no key before their body: they cannot take the room of the others. */
  readonly heldOfStrangers: HeldBytes
  /** Requests that were read and have no answer yet. */
  waiting = 0
  /** Requests whose body is still arriving. */
  readonly uploads = new Set<PendingResponse>()
  #idle = () => {}

  constructor(maxHeldBytes: number) {
    this.held = { bytes: 0, max: maxHeldBytes }
    this.heldOfStrangers = { bytes: 0, max: maxHeldBytes }
  }

  responded(): void {
    this.waiting--
    if (this.waiting === 0) this.#idle()
  }

  /** Resolves when `waiting` is 0. */
  idle(): Promise<void> {
    if (this.waiting === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }
}

/**
 * - `reading`: the body arrives. Leaves to `waiting`; to `over` when it is refused or the client leaves.
 * - `waiting`: the request was read and has no answer yet. Leaves to `over` with the answer, to `gone` when the client
 *   leaves.
 * - `gone`: the client left; the request is completed all the same, and its answer dropped. Leaves to `over`.
 * - `over`: answered or dropped.
 */
type State = 'reading' | 'waiting' | 'gone' | 'over'

/**
 * A request that is not answered inside its handler: reads the body, is counted in the limits, and survives a client
 * that leaves.
 */
export class PendingResponse {
  /** The request was HEAD. */
  bodiless = false
  readonly #res: HttpResponse
  readonly #inflight: InflightLimits
  readonly #refused: (code: ErrorCode) => void
  #state: State = 'reading'
  #heldBytes = 0
  /** Where its bytes count. */
  held: HeldBytes

  /** @param refused called with the code of an error answer */
  constructor(res: HttpResponse, inflight: InflightLimits, refused: (code: ErrorCode) => void = nothing) {
    this.#res = res
    this.#inflight = inflight
    this.held = inflight.held
    this.#refused = refused
    res.onAborted(() => this.#clientLeft())
  }

  get over(): boolean {
    return this.#state === 'over'
  }

  /**
   * Calls `whole` once with the body, or answers 413 as soon as the body exceeds `maxBytes`. The body is valid until
   * `whole` returns. Discards the rest of a refused body as it arrives: closing the connection would reset it, and the
   * reset could overtake the answer.
   */
  receive(maxBytes: number, whole: (body: Buffer) => void): void {
    let earlier: Buffer[] | undefined
    this.#res.onData((chunk, last) => {
      if (this.#state !== 'reading') return
      if (this.#heldBytes + chunk.byteLength > maxBytes) return this.answer(ERROR_REPLIES.body_too_large)
      if (!this.hold(chunk.byteLength)) return
      const bytes = Buffer.from(chunk)
      if (last) return whole(earlier === undefined ? bytes : Buffer.concat([...earlier, bytes]))
      this.uploading()
      earlier ??= []
      // uWebSockets.js reuses the memory of a chunk when its handler returns.
      if (bytes.length > 0) earlier.push(Buffer.from(bytes))
    })
  }

  /** Counts bytes as held until the answer. Returns false at the limit, after answering ingest_full. */
  hold(bytes: number): boolean {
    if (this.held.bytes + bytes > this.held.max) {
      this.answer(ERROR_REPLIES.ingest_full)
      return false
    }
    this.held.bytes += bytes
    this.#heldBytes += bytes
    return true
  }

  /** Marks the body as incomplete: closing the front answers it 503 rather than waiting for it. */
  uploading(): void {
    this.#inflight.uploads.add(this)
  }

  /** Marks the request as read. From here on the handler must answer it. */
  begin(): void {
    if (this.#state !== 'reading') return
    this.#inflight.uploads.delete(this)
    this.#state = 'waiting'
    this.#inflight.waiting++
  }

  /** Sends the answer; later ones are ignored. `incidentId` becomes X-Incident-Id. */
  answer(reply: Reply, incidentId?: string): void {
    const state = this.#state
    if (state === 'over') return
    this.#release()
    if (reply.code !== undefined) this.#refused(reply.code)
    if (state !== 'gone')
      this.#res.cork(() => (this.bodiless ? sendHead(this.#res, reply) : send(this.#res, reply, incidentId)))
    if (state !== 'reading') this.#inflight.responded()
  }

  #clientLeft(): void {
    if (this.#state === 'waiting') this.#state = 'gone'
    else this.#release()
  }

  #release(): void {
    this.#state = 'over'
    this.#inflight.uploads.delete(this)
    this.held.bytes -= this.#heldBytes
    this.#heldBytes = 0
  }
}

const nothing = () => {}
