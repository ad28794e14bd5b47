import type { HttpResponse } from 'uWebSockets.js'
import type { ErrorCode } from '../domain/errors.ts'
import { ERROR_REPLIES, type Reply, send, sendHead } from './reply.ts'

/** What the exchanges of one front add up to. */
export class InflightLimits {
  /** Bytes of bodies from their first chunk to the answer. */
  heldBytes = 0
  readonly maxHeldBytes: number
  /** Requests that are read and not answered yet. */
  waiting = 0
  /** Requests whose body is still arriving. */
  readonly uploads = new Set<PendingResponse>()
  #idle = () => {}

  constructor(maxHeldBytes: number) {
    this.maxHeldBytes = maxHeldBytes
  }

  responded(): void {
    this.waiting--
    if (this.waiting === 0) this.#idle()
  }

  /** Resolves when no request waits for its answer. */
  idle(): Promise<void> {
    if (this.waiting === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#idle = resolve
    })
  }
}

/** `gone`: the client left while its request was being worked on; what it was promised is still done, nobody is told. */
type State = 'reading' | 'waiting' | 'gone' | 'over'

/** One request that is not answered inside its handler: takes its body, keeps count of it, and outlives a client that leaves. */
export class PendingResponse {
  /** The request was HEAD. */
  bodiless = false
  readonly #res: HttpResponse
  readonly #inflight: InflightLimits
  readonly #refused: (code: ErrorCode) => void
  #state: State = 'reading'
  #heldBytes = 0

  /** `refused` is told the code of an answer that has one. */
  constructor(res: HttpResponse, inflight: InflightLimits, refused: (code: ErrorCode) => void = nothing) {
    this.#res = res
    this.#inflight = inflight
    this.#refused = refused
    res.onAborted(() => this.#clientLeft())
  }

  get over(): boolean {
    return this.#state === 'over'
  }

  /**
   * Calls `whole` once with a body that may be kept, or answers 413 as soon as it is larger than `maxBytes`. What a client sends on after
   * that is thrown away as it comes: closing instead would reset the connection, and the reset could overtake the answer.
   */
  receive(maxBytes: number, whole: (body: Buffer) => void): void {
    let chunks: Buffer[] | undefined
    this.#res.onData((chunk, last) => {
      if (this.#state !== 'reading') return
      if (this.#heldBytes + chunk.byteLength > maxBytes) return this.answer(ERROR_REPLIES.body_too_large)
      if (!this.hold(chunk.byteLength)) return
      if (last) return whole(chunks === undefined ? copyOf(chunk) : Buffer.concat([...chunks, Buffer.from(chunk)]))
      this.uploading()
      chunks ??= []
      if (chunk.byteLength > 0) chunks.push(copyOf(chunk))
    })
  }

  /** Counts bytes as held until the answer; false: there is no room, and the request has been answered so. */
  hold(bytes: number): boolean {
    if (this.#inflight.heldBytes + bytes > this.#inflight.maxHeldBytes) {
      this.answer(ERROR_REPLIES.ingest_full)
      return false
    }
    this.#inflight.heldBytes += bytes
    this.#heldBytes += bytes
    return true
  }

  /** The body is not all there; closing the front does not wait for it. */
  uploading(): void {
    this.#inflight.uploads.add(this)
  }

  /** The request is read; from here on somebody owes its answer. */
  begin(): void {
    if (this.#state !== 'reading') return
    this.#inflight.uploads.delete(this)
    this.#state = 'waiting'
    this.#inflight.waiting++
  }

  /** Only the first answer counts. `incidentId` becomes X-Incident-Id. */
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
    this.#inflight.heldBytes -= this.#heldBytes
    this.#heldBytes = 0
  }
}

const nothing = () => {}

/** uWebSockets.js takes a chunk back when its handler returns. */
function copyOf(chunk: ArrayBuffer): Buffer {
  const copy = Buffer.allocUnsafe(chunk.byteLength)
  copy.set(new Uint8Array(chunk))
  return copy
}
