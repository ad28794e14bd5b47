/** Object identifiers of the types of PostgreSQL that are read and written in binary form; see its pg_type.dat. */
export const OID = {
  unspecified: 0,
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  float4: 700,
  float8: 701,
  unknown: 705,
  numeric: 1700,
} as const

export type Value = null | number | string | boolean | Uint8Array

/** Returns the value of a field that begins at `at`. */
export type Decoder = (bytes: Buffer, at: number, length: number) => unknown

const TWO_32 = 2 ** 32

const DECODERS: { readonly [oid: number]: Decoder } = {
  [OID.bool]: (bytes, at) => bytes[at],
  // A copy: the bytes around it are those of a whole reply.
  [OID.bytea]: (bytes, at, length) => new Uint8Array(bytes.subarray(at, at + length)),
  [OID.int8]: (bytes, at) => safe(bytes.readInt32BE(at) * TWO_32 + bytes.readUInt32BE(at + 4)),
  [OID.int2]: (bytes, at) => bytes.readInt16BE(at),
  [OID.int4]: (bytes, at) => bytes.readInt32BE(at),
  [OID.oid]: (bytes, at) => bytes.readUInt32BE(at),
  [OID.float4]: (bytes, at) => bytes.readFloatBE(at),
  [OID.float8]: (bytes, at) => bytes.readDoubleBE(at),
}

const asText: Decoder = (bytes, at, length) => bytes.toString('utf8', at, at + length)

/** Sums and averages of integers. */
function asNumeric(bytes: Buffer, at: number, length: number): number {
  const text = bytes.toString('latin1', at, at + length)
  return text.includes('.') ? Number(text) : safe(Number(text))
}

function safe(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new RangeError(`PostgreSQL returned the integer ${value}, which a JavaScript number cannot hold`)
}

export const decoderOf = (oid: number): Decoder => (oid === OID.numeric ? asNumeric : (DECODERS[oid] ?? asText))

/** 1: binary, 0: text. */
export const formatOf = (oid: number): 0 | 1 => (DECODERS[oid] ? 1 : 0)

/** Kinds of JavaScript values, as a statement is prepared for them. `null` fits each. */
export type Kind = 'null' | 'integer' | 'float' | 'text' | 'bytes'

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'float'
    case 'string':
      return 'text'
    case 'boolean':
      return 'integer'
    default:
      return value === null ? 'null' : 'bytes'
  }
}

/** The type that a value of the kind has where PostgreSQL cannot infer a fitting one. */
export const NATURAL: { readonly [kind in Kind]: number } = {
  null: OID.unspecified,
  integer: OID.int8,
  float: OID.float8,
  text: OID.text,
  bytes: OID.bytea,
}
