import { readFileSync } from 'node:fs'

/** `json`: an object, or an array of objects. `ndjson`: lines of one object each. */
export type Format = 'json' | 'ndjson'

/** A valid body. */
export interface ValidBody {
  /** The body is an array or NDJSON, even with a single document. */
  readonly many: boolean
  /** Bytes of each document, in order. Never empty. */
  readonly lengths: readonly number[]
}

/** What validator.wasm exports: see assembly/validator.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory
  firstFree(): number
  rangesAddress(): number
  checkJson(body: number, length: number): number
  checkLines(body: number, length: number): number
  compact(count: number, to: number): number
}

const FILE = new URL('./validator.wasm', import.meta.url)
const PAGE_BYTES = 65_536
/** Readable bytes that the validator needs behind a body. */
const MARGIN_BYTES = 16
/** A larger memory is given back to the system as soon as it is empty: linear memory cannot shrink. */
const KEPT_BYTES = 4 * 1024 * 1024

/**
 * Checks that bodies are UTF-8, JSON, objects, and nested at most 64 levels deep, without parsing them. Keeps the
 * documents of valid bodies in linear memory, one behind the other, until `take`.
 */
export class Validator {
  readonly #module = new WebAssembly.Module(readFileSync(FILE))
  #exports = this.#instantiate()
  #bytes = new Uint8Array(this.#exports.memory.buffer)
  #start = this.#exports.firstFree()
  #end = this.#start

  /** Bytes of the documents that are kept. */
  get length(): number {
    return this.#end - this.#start
  }

  /**
   * Copies a body, checks it, and keeps its documents. Returns undefined for a body that is not valid, of which nothing
   * is kept. Accepts exactly the bodies that `JSON.parse` accepts, with a byte order mark or without, that hold 1 to
   * 10,000 objects. Throws RangeError when the memory cannot grow.
   */
  add(body: Uint8Array, format: Format): ValidBody | undefined {
    const { length } = body
    this.#reserve(length + MARGIN_BYTES)
    this.#bytes.set(body, this.#end)
    const status =
      format === 'json' ? this.#exports.checkJson(this.#end, length) : this.#exports.checkLines(this.#end, length)
    if (status < 0) return undefined
    const many = status > 0
    const count = many ? status : 1
    this.#end = this.#exports.compact(count, this.#end)
    return { many, lengths: this.#lengths(count) }
  }

  /** Drops what was added since `length` had this value. */
  truncate(length: number): void {
    this.#end = this.#start + length
  }

  /** Returns the kept documents, and keeps none from then on. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(this.#start, this.#end)
    this.#end = this.#start
    if (this.#bytes.length > KEPT_BYTES) {
      this.#exports = this.#instantiate()
      this.#bytes = new Uint8Array(this.#exports.memory.buffer)
    }
    return taken
  }

  #instantiate(): Exports {
    return new WebAssembly.Instance(this.#module).exports as Exports
  }

  #reserve(bytes: number): void {
    const missing = this.#end + bytes - this.#bytes.length
    if (missing <= 0) return
    this.#exports.memory.grow(Math.ceil(missing / PAGE_BYTES))
    this.#bytes = new Uint8Array(this.#exports.memory.buffer)
  }

  #lengths(count: number): number[] {
    const ranges = new Uint32Array(this.#bytes.buffer, this.#exports.rangesAddress(), 2 * count)
    return Array.from({ length: count }, (_, nth) => (ranges[2 * nth + 1] as number) - (ranges[2 * nth] as number))
  }
}
