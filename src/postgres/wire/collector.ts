import type { PostgresError } from '../errors.ts'
import { HEAD_BYTES, lastError } from './reply.ts'

const START_BYTES = 65_536
const READY_FOR_QUERY = 0x5a

/** Collects the chunks of a stream into replies, each of which ends with ReadyForQuery. */
export class ReplyCollector {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES)
  #end = 0
  /** Start of the first message that is not complete. */
  #scanned = 0
  readonly #emit: (reply: Uint8Array<ArrayBuffer>) => void

  /** `emit` owns the bytes. */
  constructor(emit: (reply: Uint8Array<ArrayBuffer>) => void) {
    this.#emit = emit
  }

  add(chunk: Uint8Array): void {
    this.#reserve(chunk.length)
    this.#bytes.set(chunk, this.#end)
    this.#end += chunk.length
    while (this.#scanned + HEAD_BYTES <= this.#end) {
      const type = this.#bytes[this.#scanned]
      const next = this.#scanned + 1 + this.#bytes.readInt32BE(this.#scanned + 1)
      if (next > this.#end) return
      this.#scanned = next
      if (type === READY_FOR_QUERY) this.#finish()
    }
  }

  /** The error that the server sent before it closed the connection. */
  lastError(): PostgresError | undefined {
    return lastError(this.#bytes.subarray(0, this.#scanned))
  }

  #finish(): void {
    const reply = new Uint8Array(this.#scanned)
    reply.set(this.#bytes.subarray(0, this.#scanned))
    const rest = this.#end - this.#scanned
    if (this.#bytes.length > START_BYTES) {
      const smaller = Buffer.allocUnsafeSlow(Math.max(START_BYTES, rest))
      smaller.set(this.#bytes.subarray(this.#scanned, this.#end))
      this.#bytes = smaller
    } else this.#bytes.copyWithin(0, this.#scanned, this.#end)
    this.#end = rest
    this.#scanned = 0
    this.#emit(reply)
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}
