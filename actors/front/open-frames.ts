import { encodeFrame, type FrameColumns, type RequestOptions } from '../../src/domain/frame.ts'
import type { Intake } from '../../src/http/contract.ts'
import type { Validator } from '../../src/validate/validator.ts'

/** Bodies of a frame, unless one request alone has more. */
const MAX_FRAME_BYTES = 256 * 1024

/** Requests that go into one frame. */
export class OpenFrame {
  readonly intakes: Intake[] = []
  /** Parallel to the requests: the body is an array or NDJSON. */
  readonly many: boolean[] = []
  readonly columns: Mutable<FrameColumns> = { receivedAt: [], counts: [], lengths: [], options: [] }
  /** Bytes of the bodies. */
  bytes = 0
  /** Bytes that count against the bound of requests that wait. */
  heldBytes = 0
  /** Monotonic milliseconds; undefined until its first request is in, Infinity when its requests are answered. */
  answerBy: number | undefined

  isLate(now: number): boolean {
    return this.answerBy !== undefined && this.answerBy <= now
  }

  /** Returns the requests to answer now; the frame keeps them, but their `answer` does nothing from now on. */
  takeAnswers(): Intake[] {
    this.answerBy = Infinity
    const waiting = [...this.intakes]
    waiting.forEach((intake, at) => {
      this.intakes[at] = { ...intake, answer() {} }
    })
    return waiting
  }
}

type Mutable<T> = { readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/**
 * Frames that are not encoded yet, oldest first. Their bodies lie in the memory of the validator, one behind the other.
 */
export class OpenFrames {
  readonly #validator: Validator
  #frames: OpenFrame[] = []

  constructor(validator: Validator) {
    this.#validator = validator
  }

  get oldest(): OpenFrame | undefined {
    return this.#frames[0]
  }

  /** Adds a request to the newest frame, and returns the frame; undefined when the body is not valid. */
  add(intake: Intake, body: Uint8Array): OpenFrame | undefined {
    const before = this.#validator.length
    const valid = this.#validator.add(body, intake.format)
    if (valid === undefined) return undefined
    const bytes = this.#validator.length - before
    const frame = this.#frameFor(bytes)
    const { receivedAt, counts, lengths, options } = frame.columns
    const requestOptions = optionsOf(intake)
    if (requestOptions !== undefined) options.push([frame.intakes.length, requestOptions])
    receivedAt.push(intake.receivedAt)
    counts.push(valid.lengths.length)
    for (const length of valid.lengths) lengths.push(length)
    frame.intakes.push(intake)
    frame.many.push(valid.many)
    frame.bytes += bytes
    return frame
  }

  /** Removes the oldest frame, and returns it and its bytes. */
  takeOldest(): { readonly frame: OpenFrame; readonly encoded: Uint8Array<ArrayBuffer> } {
    const frame = this.#frames.shift()
    if (frame === undefined) throw new Error('no frame is open')
    const encoded = encodeFrame(frame.columns, this.#validator.first(frame.bytes))
    this.#validator.drop(frame.bytes)
    return { frame, encoded }
  }

  /** Removes all frames and returns their requests. */
  clear(): Intake[] {
    const intakes = this.#frames.flatMap((frame) => frame.intakes)
    this.#frames = []
    this.#validator.drop(this.#validator.length)
    return intakes
  }

  #frameFor(bytes: number): OpenFrame {
    const newest = this.#frames.at(-1)
    if (newest !== undefined && newest.bytes + bytes <= MAX_FRAME_BYTES) return newest
    const frame = new OpenFrame()
    this.#frames.push(frame)
    return frame
  }
}

function optionsOf({ key, overrides, source, origin }: Intake): RequestOptions | undefined {
  if (key === undefined && overrides === undefined && source === 'webhook' && origin === undefined) return undefined
  return {
    ...(key === undefined ? {} : { key }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(source === 'webhook' ? {} : { source }),
    ...(origin === undefined ? {} : { origin }),
  }
}
