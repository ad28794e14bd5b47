import { LRUCache } from 'lru-cache'
import type { PostgresError } from './errors.ts'
import type { BindParts } from './wire/request.ts'
import { type Decoder, decoderOf, formatOf, type Kind, kindOf, NATURAL, OID, type Value } from './wire/types.ts'

/** Named statements of one connection; the least recently used is closed when there are more. */
const MAX_STATEMENTS = 2_000

/** The types of a statement as the server described them. */
export interface Description {
  readonly types: readonly number[]
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

/** A text prepared for parameters of certain types. */
export interface Variant {
  readonly sql: string
  /** '': the unnamed statement, prepared with each execution. */
  readonly name: string
  readonly kinds: readonly Kind[]
  readonly parts: BindParts
  readonly names: readonly string[]
  readonly decoders: readonly Decoder[]
  /** Number of the connection that knows the name; 0: none. */
  preparedOn: number
}

/**
 * Prepares a text with the types given (0: inferred) and describes it, without harm to an open transaction; returns the
 * error when the server refuses the types.
 */
type Describe = (sql: string, types: readonly number[]) => Description | PostgresError

interface StatementsDeps {
  readonly describe: Describe
  /** False: the connection is one of a transaction pooler, whose servers do not keep names. */
  named(): boolean
  /** Returns a name that the connection does not know. */
  newName(): string
  /** The server may forget the name. */
  evicted(variant: Variant): void
}

export type Statements = ReturnType<typeof openStatements>

export function openStatements({ describe, named, newName, evicted }: StatementsDeps) {
  const known = new LRUCache<string, Variant[]>({
    max: MAX_STATEMENTS,
    // A new list of variants holds those of before.
    noDisposeOnSet: true,
    dispose: (variants) => variants.forEach(evicted),
  })

  function add(sql: string, values: readonly Value[]): Variant {
    const variants = known.get(sql) ?? []
    const kinds = values.map((value, n) => {
      const kind = kindOf(value)
      const earlier = variants.find(({ kinds }) => kinds[n] !== 'null')
      return kind === 'null' && earlier ? (earlier.kinds[n] as Kind) : kind
    })
    const variant = variantOf(sql, named() ? newName() : '', kinds, typed(describe, sql, kinds))
    // One that knows less is not needed any more.
    const others = variants.filter((other) => !other.kinds.every((kind, n) => kind === 'null' || kind === kinds[n]))
    known.set(sql, [variant, ...others])
    return variant
  }

  return {
    /** Returns the statement for values of these kinds; asks the server when it is new. Throws its refusal. */
    get(sql: string, values: readonly Value[]): Variant {
      const variants = known.get(sql)
      if (variants)
        for (let n = 0; n < variants.length; n++)
          if (fits(variants[n] as Variant, values)) return variants[n] as Variant
      return add(sql, values)
    },
  }
}

function fits({ kinds }: Variant, values: readonly Value[]): boolean {
  if (kinds.length !== values.length) return false
  for (let n = 0; n < kinds.length; n++) {
    const value = values[n] as Value
    if (value === null) continue
    const kind = kinds[n]
    switch (typeof value) {
      case 'number':
        if (kind !== 'float' && !(kind === 'integer' && Number.isInteger(value))) return false
        break
      case 'string':
        if (kind !== 'text') return false
        break
      case 'boolean':
        if (kind !== 'integer') return false
        break
      default:
        if (kind !== 'bytes') return false
    }
  }
  return true
}

/** Types that PostgreSQL infers from constants and functions beside a parameter, and that the value may not fit. */
const TOO_NARROW: { readonly [kind in Kind]?: ReadonlySet<number> } = {
  integer: new Set<number>([OID.int2, OID.int4, OID.text, OID.unknown]),
  float: new Set<number>([OID.int2, OID.int4, OID.int8, OID.text, OID.unknown]),
  bytes: new Set<number>([OID.text, OID.unknown]),
}

/**
 * Finds the types of the parameters: those that PostgreSQL infers, but the value's own type where it infers a narrower
 * one and accepts the wider (`$1 + 1` is an int4 to it), or can infer none (`$1 IS NULL`).
 */
function typed(describe: Describe, sql: string, kinds: readonly Kind[]): Description {
  const inferred = inferTypes(describe, sql, kinds)
  const narrow = kinds.flatMap((kind, n) => (TOO_NARROW[kind]?.has(inferred.types[n] as number) ? [n] : []))
  if (narrow.length === 0) return inferred
  const all = describe(sql, widened(inferred.types, kinds, narrow))
  if ('types' in all) return all
  let best = inferred
  for (const n of narrow) {
    const wider = describe(sql, widened(best.types, kinds, [n]))
    if ('types' in wider) best = wider
  }
  return best
}

const widened = (types: readonly number[], kinds: readonly Kind[], at: readonly number[]) =>
  types.map((type, n) => (at.includes(n) ? NATURAL[kinds[n] as Kind] : type))

/** Lets PostgreSQL infer types, and gives it those that it asks for. Throws its refusal. */
function inferTypes(describe: Describe, sql: string, kinds: readonly Kind[]): Description {
  const types = kinds.map((): number => OID.unspecified)
  // PostgreSQL would count declared types that the text does not use.
  const first = describe(sql, [])
  if ('types' in first) return first
  let refusal = first
  for (let tries = 0; tries < kinds.length; tries++) {
    const n = undetermined(refusal)
    if (n === undefined || kinds[n] === undefined || types[n] !== OID.unspecified) break
    types[n] = NATURAL[kinds[n]] || OID.text
    const next = describe(sql, types)
    if ('types' in next) return next
    refusal = next
  }
  if (!refusal.sqlstate.startsWith('42')) throw first
  const natural = kinds.map((kind) => NATURAL[kind])
  for (const declared of [natural, ...kinds.map((_, n) => widened(types, kinds, [n]))]) {
    const next = describe(sql, declared)
    if ('types' in next) return next
  }
  throw first
}

/** Returns the index of the parameter that an error names as one without a type (42P18) or with several (42P08). */
function undetermined({ sqlstate, message }: PostgresError): number | undefined {
  const found = sqlstate === '42P18' || sqlstate === '42P08' ? /\$(\d+)/.exec(message) : null
  return found ? Number(found[1]) - 1 : undefined
}

/** Types of parameters that are sent in binary form. */
const BINARY: { readonly [kind in Kind]?: ReadonlySet<number> } = {
  integer: new Set<number>([OID.int8, OID.float8, OID.bool]),
  float: new Set<number>([OID.float8]),
  bytes: new Set<number>([OID.bytea, OID.text]),
}

function variantOf(sql: string, name: string, kinds: readonly Kind[], { types, columns }: Description): Variant {
  if (types.length !== kinds.length)
    throw new RangeError(`${kinds.length} values were given for ${types.length} parameters: ${sql}`)
  const formats = kinds.map((kind, n) => (BINARY[kind]?.has(types[n] as number) ? 1 : 0))
  const head = Buffer.concat([Buffer.from(`\0${name}\0`), int2s([formats.length, ...formats, formats.length])])
  const results = columns.map(({ type }) => formatOf(type))
  return {
    sql,
    name,
    kinds,
    parts: { head, tail: int2s([results.length, ...results]), types, formats },
    names: columns.map((column) => column.name),
    decoders: columns.map(({ type }) => decoderOf(type)),
    preparedOn: 0,
  }
}

/** A statement without parameters and rows, which needs no description. */
export const control = (sql: string): Variant => variantOf(sql, '', [], { types: [], columns: [] })

function int2s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  values.forEach((value, n) => void bytes.writeInt16BE(value, n * 2))
  return bytes
}
