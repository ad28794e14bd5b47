import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { BodyFormat } from '../../src/domain/incident.ts'
import { Validator } from '../../src/validate/validator.ts'
import { type Documents, documentsOf } from './twin.ts'

const validator = new Validator()

/**
 * Asserts that the validator and its twin find the same documents in the body, or both refuse it. Returns the texts of
 * the documents, undefined for a refused body.
 */
export function agreedTexts(body: Uint8Array, format: BodyFormat): readonly string[] | undefined {
  const expected = documentsOf(body, format)
  const found = documentsBy(validator, body, format)
  if (!isDeepStrictEqual(found, expected))
    assert.deepEqual(
      found,
      expected,
      `${format} ${JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 2_000))}`,
    )
  return expected?.texts
}

/** Returns the documents that the validator finds. Nothing of them is kept. */
function documentsBy(by: Validator, body: Uint8Array, format: BodyFormat): Documents | undefined {
  const valid = by.add(body, format)
  const bytes = takeFrom(by)
  if (valid === undefined) return undefined
  let start = 0
  const texts = valid.lengths.map((length) => {
    start += length
    return bytes.toString('utf8', start - length, start)
  })
  assert.equal(start, bytes.length)
  return { many: valid.many, texts }
}

/** Drops what the validator keeps, and returns it. */
export function takeFrom(by: Validator): Buffer {
  const bytes = Buffer.from(by.first(by.length))
  by.drop(by.length)
  return bytes
}

type Body = string | Uint8Array

/** Asserts that the validator and its twin accept each of the bodies. */
export function accepted(bodies: readonly Body[], format: BodyFormat = 'json'): void {
  for (const body of bodies) assert.ok(textsOf(body, format), `refused: ${JSON.stringify(body)}`)
}

/** Asserts that the validator and its twin refuse each of the bodies. */
export function refused(bodies: readonly Body[], format: BodyFormat = 'json'): void {
  for (const body of bodies) assert.equal(textsOf(body, format), undefined, `accepted: ${JSON.stringify(body)}`)
}

const textsOf = (body: Body, format: BodyFormat) =>
  agreedTexts(typeof body === 'string' ? Buffer.from(body) : body, format)

/** Returns bodies with the value wherever a value may be. */
export const withValue = (value: string) => [
  `{"a":${value}}`,
  `{"a":[${value}]}`,
  `{"a":[1,${value},2],"b":${value}}`,
  `{"a" : ${value}\n}`,
  `[{"a":${value}}]`,
  `[{},{"a":{"b":${value},"c":0}} ]`,
]

/** Yields every sequence of up to `most` pieces. */
export function* sequences(pieces: readonly string[], most: number): Generator<string> {
  yield ''
  if (most > 0) for (const rest of sequences(pieces, most - 1)) for (const piece of pieces) yield piece + rest
}

/**
 * Asserts that the validator and its twin decide alike about each text in the place between `before` and `after`; returns
 * how many they accept.
 */
export function acceptedOf(texts: Iterable<string>, before: string, after: string): number {
  let count = 0
  for (const text of texts) if (textsOf(before + text + after, 'json')) count++
  return count
}
