import type { Value } from './types.ts'
import { OID } from './types.ts'

const TWO_32 = 2 ** 32
const START_BYTES = 16_384
/** UTF-8 needs at most 3 bytes for a UTF-16 code unit. */
const UTF8_FACTOR = 3

const BIND = 0x42
const CLOSE = 0x43
const DESCRIBE = 0x44
const EXECUTE = 0x45
const PARSE = 0x50
const QUERY = 0x51
const SYNC = 0x53
const STATEMENT = 0x53

/** The fixed parts of a Bind message. */
export interface BindParts {
  /** Portal, name of the statement, formats of the parameters, their number. */
  readonly head: Buffer
  /** Formats of the results. */
  readonly tail: Buffer
  /** Type of each parameter. */
  readonly types: readonly number[]
  /** 1: binary, 0: text, by parameter. */
  readonly formats: readonly (0 | 1)[]
}

/**
 * Messages of the extended query protocol, written one behind the other into one buffer; see
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class RequestWriter {
  #bytes = Buffer.allocUnsafeSlow(START_BYTES)
  #end = 0

  /** Ends the request; returns its bytes, which are the caller's. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#end)
    bytes.set(this.#bytes.subarray(0, this.#end))
    this.clear()
    return bytes
  }

  clear(): void {
    this.#end = 0
  }

  parse(name: string, sql: string, types: readonly number[]): void {
    const start = this.#begin(PARSE)
    this.#cstring(name)
    this.#cstring(sql)
    this.#reserve(2 + 4 * types.length)
    this.#int2(types.length)
    for (const type of types) this.#int4(type)
    this.#finish(start)
  }

  describe(name: string): void {
    const start = this.#begin(DESCRIBE)
    this.#byte(STATEMENT)
    this.#cstring(name)
    this.#finish(start)
  }

  /** Binds a statement and executes it to its end. */
  execute(parts: BindParts, values: readonly Value[]): void {
    const start = this.#begin(BIND)
    this.#raw(parts.head)
    for (let at = 0; at < values.length; at++)
      this.#value(values[at] as Value, parts.types[at] as number, parts.formats[at] as number)
    this.#raw(parts.tail)
    this.#finish(start)
    const execute = this.#begin(EXECUTE)
    this.#byte(0)
    this.#int4(0)
    this.#finish(execute)
  }

  close(name: string): void {
    const start = this.#begin(CLOSE)
    this.#byte(STATEMENT)
    this.#cstring(name)
    this.#finish(start)
  }

  /** Any number of statements without parameters, in a message that needs no Sync. */
  simple(sql: string): void {
    const start = this.#begin(QUERY)
    this.#cstring(sql)
    this.#finish(start)
  }

  sync(): void {
    this.#finish(this.#begin(SYNC))
  }

  #value(value: Value, type: number, format: number): void {
    if (value === null) {
      this.#reserve(4)
      this.#int4(-1)
    } else if (typeof value === 'string') this.#text(value)
    else if (value instanceof Uint8Array) {
      this.#reserve(4)
      this.#int4(value.length)
      this.#raw(value)
    } else if (format === 0) this.#text(String(Number(value)))
    else this.#number(Number(value), type)
  }

  #number(value: number, type: number): void {
    this.#reserve(12)
    if (type === OID.int8) {
      this.#int4(8)
      this.#int4(Math.floor(value / TWO_32))
      this.#int4(value)
    } else if (type === OID.float8) {
      this.#int4(8)
      this.#end = this.#bytes.writeDoubleBE(value, this.#end)
    } else {
      this.#int4(1)
      this.#bytes[this.#end++] = value === 0 ? 0 : 1
    }
  }

  #text(value: string): void {
    this.#reserve(4 + value.length * UTF8_FACTOR)
    const written = this.#bytes.write(value, this.#end + 4)
    this.#int4(written)
    this.#end += written
  }

  #begin(type: number): number {
    this.#reserve(8)
    const start = this.#end
    this.#bytes[start] = type
    this.#end = start + 5
    return start
  }

  /** The length counts itself, and not the type. */
  #finish(start: number): void {
    const end = this.#end
    this.#end = start + 1
    this.#int4(end - start - 1)
    this.#end = end
  }

  #cstring(text: string): void {
    this.#reserve(text.length * UTF8_FACTOR + 1)
    this.#end += this.#bytes.write(text, this.#end)
    this.#bytes[this.#end++] = 0
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#end)
    this.#end += bytes.length
  }

  #byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = value
  }

  #int2(value: number): void {
    const bytes = this.#bytes
    bytes[this.#end++] = value >>> 8
    bytes[this.#end++] = value
  }

  /** The lowest 32 bits. */
  #int4(value: number): void {
    const bytes = this.#bytes
    let end = this.#end
    bytes[end++] = value >>> 24
    bytes[end++] = value >>> 16
    bytes[end++] = value >>> 8
    bytes[end++] = value
    this.#end = end
  }

  #reserve(bytes: number): void {
    // Room for the next head too.
    const needed = this.#end + bytes + 16
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}
