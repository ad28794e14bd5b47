import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_DEPTH, readProtobuf } from '../../../src/mining/sources/otlp-wire.ts'
import { decodeLogs, encodeLogs } from '../../harness/otlp.ts'
import { randomFrom } from '../../harness/random.ts'
import { SEED, shareOf } from '../campaign.ts'

type Random = () => number
type Json = { readonly [field: string]: unknown }

const below = (random: Random, bound: number) => Math.floor(random() * bound)
const listOf = <T>(random: Random, most: number, one: () => T) => Array.from({ length: below(random, most + 1) }, one)
const WORDS = ['', 'service.name', 'exception.type', '__proto__', 'é😀', 'WARN', 'a'.repeat(200)]
const word = (random: Random) => WORDS[below(random, WORDS.length)] ?? ''

function anyValue(random: Random, depth = 0): Json {
  switch (below(random, depth < 4 ? 8 : 6)) {
    case 0:
      return { boolValue: random() < 0.5 }
    case 1:
      return { intValue: String(BigInt.asIntN(64, BigInt(below(random, 2 ** 40)) ** 2n * (random() < 0.5 ? -1n : 1n))) }
    case 2:
      return { doubleValue: random() * 1e6 }
    case 3:
      return { bytesValue: Buffer.from(word(random)).toString('base64') }
    case 4:
      return {}
    case 6:
      return { arrayValue: { values: listOf(random, 3, () => anyValue(random, depth + 1)) } }
    case 7:
      return { kvlistValue: { values: listOf(random, 3, () => attribute(random, depth + 1)) } }
    default:
      return { stringValue: word(random) }
  }
}

const attribute = (random: Random, depth = 0): Json => ({ key: word(random), value: anyValue(random, depth) })

const request = (random: Random): Json => ({
  resourceLogs: listOf(random, 2, () => ({
    resource: { attributes: listOf(random, 2, () => attribute(random)), droppedAttributesCount: 1 },
    scopeLogs: listOf(random, 2, () => ({
      scope: { name: word(random) },
      logRecords: listOf(random, 3, () => ({
        timeUnixNano: '1700000000000000000',
        severityNumber: below(random, 30) - 2,
        severityText: word(random),
        body: anyValue(random),
        attributes: listOf(random, 3, () => attribute(random)),
        flags: 1,
        eventName: word(random),
      })),
    })),
  })),
})

/** Changes, removes and doubles bytes, or cuts them off; now and then nothing. */
function mutated(random: Random, whole: Buffer): Buffer {
  let bytes = whole
  for (let change = below(random, 4); change > 0; change--) {
    const at = below(random, bytes.length + 1)
    const length = below(random, 12)
    const parts = [
      () => [bytes.subarray(0, at), Buffer.from([random() * 256]), bytes.subarray(at + 1)],
      () => [bytes.subarray(0, at), Buffer.from([(bytes[at] ?? 0) ^ (1 << below(random, 8))]), bytes.subarray(at + 1)],
      () => [bytes.subarray(0, at), bytes.subarray(at + length)],
      () => [bytes.subarray(0, at + length), bytes.subarray(at)],
      () => [bytes.subarray(0, at)],
    ][below(random, 5)]
    bytes = Buffer.concat(parts?.() ?? [])
  }
  return bytes
}

/** Where the twin has no one answer: several values of one `oneof`, and bytes that are no UTF-8. */
class Ambiguous extends Error {}

const KINDS = ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue', 'bytesValue']

function anyOf(value: Json | undefined | null): unknown {
  const kinds = KINDS.filter((kind) => Object.hasOwn(value ?? {}, kind))
  if (kinds.length > 1) throw new Ambiguous()
  const kind = kinds[0] ?? ''
  const given = value?.[kind]
  if (kind === 'stringValue') return textOf(given)
  if (kind === 'arrayValue') return (given as { values: Json[] }).values.map(anyOf)
  if (kind === 'kvlistValue') return Object.fromEntries((given as { values: Json[] }).values.map(pairOf))
  return given
}

function textOf(text: unknown = ''): string {
  if (typeof text !== 'string' || !text.isWellFormed() || text.includes('\ufffd')) throw new Ambiguous()
  return text
}

const pairOf = ({ key, value }: Json): [string, unknown] => [textOf(key), anyOf(value as Json | undefined)]

/** Returns what the twin reads, in our shape. */
const twin = ({ resourceLogs = [] }: Json) =>
  (resourceLogs as Json[]).flatMap(({ resource, scopeLogs }) => {
    const attributesOf = ((resource as { attributes?: Json[] } | undefined)?.attributes ?? []).map(pairOf)
    return (scopeLogs as { logRecords: Json[] }[]).flatMap(({ logRecords }) =>
      logRecords.map(({ severityNumber = 0, severityText, body, attributes, eventName }) => ({
        severityNumber,
        severityText: textOf(severityText),
        body: anyOf(body as Json | undefined),
        eventName: textOf(eventName),
        attributes: (attributes as Json[]).map(pairOf),
        resource: attributesOf,
      })),
    )
  })

/** Returns the records with the attributes of their resource. */
const recordsOf = (bytes: Buffer) => readProtobuf(bytes, (record, resource) => ({ ...record, resource }))

function attempt<T>(read: () => T, isExpected: (error: unknown) => boolean): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isExpected(error)) throw error
    return undefined
  }
}

test('mutated OTLP requests are read as protobufjs reads them, or refused as no OTLP', (t) => {
  const random = randomFrom(SEED)
  const end = performance.now() + shareOf(0.03)
  const seen = { tried: 0, ours: 0, both: 0 }
  for (let whole = Buffer.alloc(0); performance.now() < end; seen.tried++) {
    if (seen.tried % 50 === 0) whole = encodeLogs(request(random))
    const bytes = mutated(random, whole)
    const isNotOtlp = (error: unknown) => (error as { code?: string }).code === 'bad_parameter'
    const ours = attempt(() => recordsOf(bytes), isNotOtlp)
    if (ours === undefined) {
      assert.ok(!bytes.equals(whole), `a request is refused that nobody changed: ${bytes.toString('hex')}`)
      continue
    }
    seen.ours++
    const theirs = attempt(
      () => twin(decodeLogs(bytes)),
      () => true,
    )
    if (theirs === undefined) continue
    seen.both++
    assert.deepEqual(ours, theirs, bytes.toString('hex'))
  }
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.both > seen.tried / 10, JSON.stringify(seen))
})

test('a value may be nested as deep as the bound, and not deeper', () => {
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<object>((value) => ({ arrayValue: { values: [value] } }), { boolValue: true })
  const withBody = (body: object) => encodeLogs({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body }] }] }] })
  assert.equal(recordsOf(withBody(nested(MAX_DEPTH - 1))).length, 1)
  assert.throws(() => recordsOf(withBody(nested(MAX_DEPTH))), { code: 'bad_parameter' })
})
