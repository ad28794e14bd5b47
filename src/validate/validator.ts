import { readFileSync } from 'node:fs'
import { CodedError } from '../domain/errors.ts'
import type { BodyFormat } from '../domain/incident.ts'

/** A valid body. */
interface ValidBody {
  /** The body is an array or NDJSON, even with a single document. */
  readonly many: boolean
  /** Bytes of each document, in order. Never empty. */
  readonly lengths: readonly number[]
}

/** Exports of validator.wasm: see assembly/validator.ts. */
interface Exports {
  readonly memory: WebAssembly.Memory
  firstFree(): number
  rangesAddress(): number
  checkJson(body: number, length: number): number
  checkLines(body: number, length: number): number
  compact(count: number, to: number): number
}

const MODULE = new WebAssembly.Module(readFileSync(new URL('./validator.wasm', import.meta.url)))
const PAGE_BYTES = 65_536
/** Readable bytes that the validator needs behind a body. */
const MARGIN_BYTES = 16
/** A larger memory is given back to the system as soon as it is empty: linear memory cannot shrink. */
const KEPT_BYTES = 4 * 1024 * 1024

/**
 * Checks that bodies are UTF-8, JSON, objects, and nested at most 64 levels deep, without parsing them. Keeps the
 * documents of valid bodies in linear memory, one behind the other, until they are dropped.
 */
export class Validator {
  #exports = this.#instantiate()
  #bytes = new Uint8Array(this.#exports.memory.buffer)
  readonly #base = this.#exports.firstFree()
  /** The kept documents; what lies before them is dropped. */
  #start = this.#base
  #end = this.#base

  /** Bytes of the documents that are kept. */
  get length(): number {
    return this.#end - this.#start
  }

  /**
   * Copies a body, checks it, and keeps its documents. Returns undefined for a body that is not valid, of which nothing
   * is kept. Accepts exactly the bodies that `JSON.parse` accepts, with a byte order mark or without, that hold 1 to
   * 10,000 objects. Throws ingest_full when the memory cannot grow: beyond 144 MiB, or the system has none.
   */
  add(body: Uint8Array, format: BodyFormat): ValidBody | undefined {
    const { length } = body
    this.#reserve(length + MARGIN_BYTES)
    this.#bytes.set(body, this.#end)
    const status =
      format === 'json' ? this.#exports.checkJson(this.#end, length) : this.#exports.checkLines(this.#end, length)
    if (status < 0) return undefined
    const many = status > 0
    const count = many ? status : 1
    const start = this.#end
    this.#end = this.#exports.compact(count, start)
    return { many, lengths: many ? this.#lengths(count) : [this.#end - start] }
  }

  /** Returns the first `length` bytes of the kept documents: a view, valid until the next call of another method. */
  first(length: number): Uint8Array {
    return this.#bytes.subarray(this.#start, this.#start + length)
  }

  /** Drops the first `length` bytes of the kept documents. Moves the others when they are fewer than what is dropped. */
  drop(length: number): void {
    this.#start += length
    if (this.length <= this.#start - this.#base) this.#moveToBase()
    if (this.length > 0 || this.#bytes.length <= KEPT_BYTES) return
    this.#exports = this.#instantiate()
    this.#bytes = new Uint8Array(this.#exports.memory.buffer)
  }

  #moveToBase(): void {
    this.#bytes.copyWithin(this.#base, this.#start, this.#end)
    this.#end = this.#base + this.length
    this.#start = this.#base
  }

  #instantiate(): Exports {
    return new WebAssembly.Instance(MODULE).exports as Exports
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes > this.#bytes.length) this.#moveToBase()
    const missing = this.#end + bytes - this.#bytes.length
    if (missing <= 0) return
    try {
      this.#exports.memory.grow(Math.ceil(missing / PAGE_BYTES))
    } catch {
      throw new CodedError('ingest_full', 'the memory for request bodies cannot grow')
    }
    this.#bytes = new Uint8Array(this.#exports.memory.buffer)
  }

  #lengths(count: number): number[] {
    const ranges = new Uint32Array(this.#bytes.buffer, this.#exports.rangesAddress(), 2 * count)
    return Array.from({ length: count }, (_, nth) => (ranges[2 * nth + 1] as number) - (ranges[2 * nth] as number))
  }
}
