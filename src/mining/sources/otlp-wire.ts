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

/** Records of one resource. */
export interface ResourceLogs {
  readonly attributes: readonly Attribute[]
  readonly records: readonly LogRecord[]
}

/** The body is no `ExportLogsServiceRequest`. */
export class NotOtlp extends CodedError {
  constructor(message: string) {
    super('bad_parameter', message)
  }
}

/** Nesting of a value. */
export const MAX_DEPTH = 32

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

interface Field {
  readonly number: number
  readonly type: number
}

/** Reads protobuf messages: fields in any order, unknown ones are skipped. Throws NotOtlp. */
class Reader {
  readonly #bytes: Buffer
  #at: number
  readonly #end: number

  constructor(bytes: Buffer, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  /** Calls `read` for each field; it returns false for one that it does not know. */
  each(read: (field: Field) => boolean): void {
    while (this.#at < this.#end) {
      const tag = Number(this.varint() & 0xffffffffn)
      const field = { number: tag >>> 3, type: tag & 7 }
      if (field.number === 0) throw new NotOtlp('a field has the number 0')
      if (!read(field)) this.#skip(field)
    }
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.#at >= this.#end) throw new NotOtlp('a number is cut off')
      const byte = this.#bytes[this.#at++] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw new NotOtlp('a number is longer than ten bytes')
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8))
  }

  bytes(): Buffer {
    const length = Number(this.varint())
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  message(): Reader {
    return new Reader(this.bytes())
  }

  #take(length: number): number {
    const at = this.#at
    if (length > this.#end - at) throw new NotOtlp('a field is cut off')
    this.#at += length
    return at
  }

  #skip({ number, type }: Field): void {
    if (type === VARINT) this.varint()
    else if (type === FIXED64) this.#take(8)
    else if (type === BYTES) this.bytes()
    else if (type === FIXED32) this.#take(4)
    else throw new NotOtlp(`field ${number} has the wire type ${type}`)
  }
}

/** Readers of the fields of a message by their number, and the wire type of each. */
type Fields = { readonly [number: number]: readonly [type: number, read: (reader: Reader) => void] }

function read(reader: Reader, fields: Fields): void {
  reader.each(({ number, type }) => {
    const known = fields[number]
    if (known === undefined) return false
    if (known[0] !== type) throw new NotOtlp(`field ${number} has the wire type ${type}, not ${known[0]}`)
    known[1](reader)
    return true
  })
}

/** Reads an `ExportLogsServiceRequest`. */
export function readProtobuf(body: Buffer): ResourceLogs[] {
  const all: ResourceLogs[] = []
  read(new Reader(body), { 1: [BYTES, (reader) => all.push(resourceLogsOf(reader.message()))] })
  return all
}

function resourceLogsOf(reader: Reader): ResourceLogs {
  const attributes: Attribute[] = []
  const records: LogRecord[] = []
  read(reader, {
    1: [BYTES, (of) => read(of.message(), { 1: [BYTES, (each) => attributes.push(attributeOf(each.message(), 0))] })],
    2: [BYTES, (of) => read(of.message(), { 2: [BYTES, (each) => records.push(recordOf(each.message()))] })],
  })
  return { attributes, records }
}

function recordOf(reader: Reader): LogRecord {
  const attributes: Attribute[] = []
  const record = { severityNumber: 0, severityText: '', body: undefined as AnyValue, eventName: '' }
  read(reader, {
    2: [VARINT, (of) => (record.severityNumber = Number(BigInt.asIntN(32, of.varint())))],
    3: [BYTES, (of) => (record.severityText = of.bytes().toString())],
    5: [BYTES, (of) => (record.body = anyValueOf(of.message(), 0))],
    6: [BYTES, (of) => attributes.push(attributeOf(of.message(), 0))],
    12: [BYTES, (of) => (record.eventName = of.bytes().toString())],
  })
  return { ...record, attributes }
}

function attributeOf(reader: Reader, depth: number): Attribute {
  let key = ''
  let value: AnyValue
  read(reader, {
    1: [BYTES, (of) => (key = of.bytes().toString())],
    2: [BYTES, (of) => (value = anyValueOf(of.message(), depth))],
  })
  return [key, value]
}

function anyValueOf(reader: Reader, depth: number): AnyValue {
  if (depth >= MAX_DEPTH) throw new NotOtlp(`a value is nested deeper than ${MAX_DEPTH}`)
  let value: AnyValue
  const list = (of: Reader) => {
    const items: AnyValue[] = []
    read(of.message(), { 1: [BYTES, (each) => items.push(anyValueOf(each.message(), depth + 1))] })
    value = items
  }
  const map = (of: Reader) => {
    const entries: Attribute[] = []
    read(of.message(), { 1: [BYTES, (each) => entries.push(attributeOf(each.message(), depth + 1))] })
    value = Object.fromEntries(entries)
  }
  read(reader, {
    1: [BYTES, (of) => (value = of.bytes().toString())],
    2: [VARINT, (of) => (value = of.varint() !== 0n)],
    3: [VARINT, (of) => (value = BigInt.asIntN(64, of.varint()).toString())],
    4: [FIXED64, (of) => (value = of.double())],
    5: [BYTES, list],
    6: [BYTES, map],
    7: [BYTES, (of) => (value = of.bytes().toString('base64'))],
  })
  return value
}
