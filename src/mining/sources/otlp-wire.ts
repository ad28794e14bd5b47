import { CodedError } from '../../domain/errors.ts'

/** A value of OTLP: whole numbers are texts, because they have 64 bits; bytes are base64. */
export type AnyValue =
  | string
  | number
  | boolean
  | undefined
  | readonly AnyValue[]
  | { readonly [key: string]: AnyValue }
export type Attribute = readonly [name: string, value: AnyValue]

export interface LogRecord {
  /** 1 to 24; 0: not given. */
  readonly severityNumber: number
  readonly severityText: string
  readonly body: AnyValue
  readonly attributes: readonly Attribute[]
  readonly eventName: string
}

/** Makes something of a record and the attributes of its resource. */
export type ReadRecord<T> = (record: LogRecord, resource: readonly Attribute[]) => T | undefined

/** The body is no `ExportLogsServiceRequest`. */
export class NotOtlp extends CodedError {
  constructor(message: string) {
    super('bad_parameter', message)
  }
}

/** Nesting of a value. */
export const MAX_DEPTH = 32
/** Messages of a request, or objects of its JSON: a small compressed body can hold millions of empty ones. */
export const MAX_MESSAGES = 2_000_000

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5
const MAX_TAG = 0xffffffff

/** Readers of the fields of a message by their number, and the wire type of each. */
type Fields = { readonly [number: number]: readonly [type: number, read: (wire: Wire) => void] }

/** Reads protobuf: fields in any order, unknown ones are skipped. Throws NotOtlp; body_too_large for too many messages. */
class Wire {
  readonly #bytes: Buffer
  #at = 0
  #end: number
  #messages = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#end = bytes.length
  }

  /** Reads the fields up to the end of the message. */
  fields(fields: Fields): void {
    while (this.#at < this.#end) {
      const tag = this.#whole()
      const number = Math.floor(tag / 8)
      const type = tag % 8
      if (number === 0 || tag > MAX_TAG) throw new NotOtlp(`a field has the number ${number}`)
      const known = fields[number]
      if (known === undefined) this.#skip(number, type)
      else if (known[0] !== type) throw new NotOtlp(`field ${number} has the wire type ${type}, not ${known[0]}`)
      else known[1](this)
    }
  }

  /** Reads a message that is a field. */
  message(fields: Fields): void {
    if (++this.#messages > MAX_MESSAGES)
      throw new CodedError('body_too_large', `the request has more than ${MAX_MESSAGES} messages`)
    const length = this.#whole()
    const outer = this.#end
    this.#end = this.#take(length) + length
    this.#at = this.#end - length
    this.fields(fields)
    this.#end = outer
  }

  /** Reads the message that the field is once more, from its beginning. */
  twice(first: Fields, second: Fields): void {
    const at = this.#at
    this.message(first)
    this.#at = at
    this.message(second)
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte()
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new NotOtlp('a number is longer than ten bytes')
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  text(encoding: 'utf8' | 'base64' = 'utf8'): string {
    const length = this.#whole()
    const at = this.#take(length)
    return this.#bytes.toString(encoding, at, at + length)
  }

  /** Reads the varint of a tag or a length. Above 2^53 it is not exact, and refused in any case. */
  #whole(): number {
    let value = 0
    for (let factor = 1, count = 0; count < 10; factor *= 128, count++) {
      const byte = this.#byte()
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new NotOtlp('a number is longer than ten bytes')
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new NotOtlp('a number is cut off')
    return this.#bytes[this.#at++] as number
  }

  #take(length: number): number {
    const at = this.#at
    if (length > this.#end - at) throw new NotOtlp('a field is cut off')
    this.#at += length
    return at
  }

  #skip(number: number, type: number): void {
    if (type === VARINT) this.varint()
    else if (type === FIXED64) this.#take(8)
    else if (type === BYTES) this.#take(this.#whole())
    else if (type === FIXED32) this.#take(4)
    else throw new NotOtlp(`field ${number} has the wire type ${type}`)
  }
}

/**
 * Reads an `ExportLogsServiceRequest` and returns what `read` makes of its records; undefined leaves one out. A record is
 * not kept.
 */
export function readProtobuf<T>(body: Buffer, read: ReadRecord<T>): T[] {
  const all: T[] = []
  new Wire(body).fields({
    1: [
      BYTES,
      (wire) => {
        const resource: Attribute[] = []
        const attributes: Fields = { 1: [BYTES, (of) => resource.push(attributeOf(of, 0))] }
        const records: Fields = {
          2: [
            BYTES,
            (of) => {
              const made = read(recordOf(of), resource)
              if (made !== undefined) all.push(made)
            },
          ],
        }
        // The resource may follow its records.
        wire.twice({ 1: [BYTES, (of) => of.message(attributes)] }, { 2: [BYTES, (of) => of.message(records)] })
      },
    ],
  })
  return all
}

function recordOf(wire: Wire): LogRecord {
  const attributes: Attribute[] = []
  const record = { severityNumber: 0, severityText: '', body: undefined as AnyValue, eventName: '' }
  wire.message({
    2: [VARINT, (of) => (record.severityNumber = Number(BigInt.asIntN(32, of.varint())))],
    3: [BYTES, (of) => (record.severityText = of.text())],
    5: [BYTES, (of) => (record.body = anyValueOf(of, 0))],
    6: [BYTES, (of) => attributes.push(attributeOf(of, 0))],
    12: [BYTES, (of) => (record.eventName = of.text())],
  })
  return { ...record, attributes }
}

function attributeOf(wire: Wire, depth: number): Attribute {
  let key = ''
  let value: AnyValue
  wire.message({
    1: [BYTES, (of) => (key = of.text())],
    2: [BYTES, (of) => (value = anyValueOf(of, depth))],
  })
  return [key, value]
}

function anyValueOf(wire: Wire, depth: number): AnyValue {
  if (depth >= MAX_DEPTH) throw new NotOtlp(`a value is nested deeper than ${MAX_DEPTH}`)
  let value: AnyValue
  const list = (of: Wire) => {
    const items: AnyValue[] = []
    of.message({ 1: [BYTES, (each) => items.push(anyValueOf(each, depth + 1))] })
    value = items
  }
  const map = (of: Wire) => {
    const entries: Attribute[] = []
    of.message({ 1: [BYTES, (each) => entries.push(attributeOf(each, depth + 1))] })
    value = Object.fromEntries(entries)
  }
  wire.message({
    1: [BYTES, (of) => (value = of.text())],
    2: [VARINT, (of) => (value = of.varint() !== 0n)],
    3: [VARINT, (of) => (value = BigInt.asIntN(64, of.varint()).toString())],
    4: [FIXED64, (of) => (value = of.double())],
    5: [BYTES, list],
    6: [BYTES, map],
    7: [BYTES, (of) => (value = of.text('base64'))],
  })
  return value
}
