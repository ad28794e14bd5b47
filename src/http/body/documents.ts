import { isAscii, isUtf8 } from 'node:buffer'
import { CodedError } from '../../domain/errors.ts'
import type { BodyFormat, Payload } from '../../domain/incident.ts'
import { isObject } from '../../text/json-object.ts'
import { errorAt, jsonError, type Part, utf8Error } from './json-errors.ts'
import { offsetBeyondDepth } from './json-scan.ts'

const MAX_DEPTH = 64
const MAX_DOCUMENTS = 10_000

/** Returns the format of a Content-Type, undefined for an unsupported one. An absent type counts as JSON. */
export function formatOf(contentType: string): BodyFormat | undefined {
  if (contentType === 'application/json' || contentType === '') return 'json'
  const end = contentType.indexOf(';')
  const essence = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase()
  if (essence === 'application/x-ndjson' || essence === 'application/ndjson') return 'ndjson'
  return essence === 'application/json' || /^application\/[^\s/]+\+json$/.test(essence) ? 'json' : undefined
}

/**
 * Returns the incidents of a body. Throws body_empty, body_not_utf8, body_not_json, body_too_deep, body_not_object,
 * array_empty and too_many_incidents, with the position of the error.
 */
export function payloadsOf(body: Buffer, format: BodyFormat): readonly Payload[] {
  const startByte = beginsWithMark(body) ? 3 : 0
  const bytes = startByte === 0 ? body : body.subarray(startByte)
  if (format === 'ndjson') return linesOf(bytes, startByte)
  const value = parse({ text: textOf(bytes, startByte), startByte, firstLine: 1 })
  return Array.isArray(value) ? arrayOf(value) : [objectOf(value)]
}

/**
 * Parses a body of any one JSON value; undefined for an empty one. Throws body_not_utf8, body_not_json, body_too_deep,
 * body_empty.
 */
export function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return undefined
  return parse({ text: textOf(body, 0), startByte: 0, firstLine: 1 })
}

const beginsWithMark = (body: Buffer) => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf

function textOf(bytes: Buffer, startByte: number): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (isUtf8(bytes)) return bytes.toString()
  throw utf8Error(bytes, startByte)
}

function parse(part: Part): unknown {
  const { text } = part
  const offset = offsetBeyondDepth(text, /^\s*\[/.test(text) ? MAX_DEPTH + 1 : MAX_DEPTH)
  if (offset !== undefined) throw errorAt('body_too_deep', part, { offset, what: '' })
  try {
    return JSON.parse(text)
  } catch {
    throw /^\s*$/.test(text) ? new CodedError('body_empty') : jsonError(part)
  }
}

function arrayOf(values: readonly unknown[]): Payload[] {
  if (values.length === 0) throw new CodedError('array_empty')
  refuseTooMany(values.length)
  return values.map((value, at) => objectOf(value, `element [${at}] `))
}

function linesOf(bytes: Buffer, startByte: number): Payload[] {
  if (!isUtf8(bytes)) throw utf8Error(bytes, startByte)
  const payloads: Payload[] = []
  let firstLine = 0
  for (let start = 0, end: number; start < bytes.length; start = end + 1) {
    firstLine++
    end = lineEnd(bytes, start)
    const text = bytes.toString('utf8', start, bytes[end - 1] === RETURN ? end - 1 : end)
    if (text.trim() === '') continue
    refuseTooMany(payloads.length + 1)
    const value = parse({ text, startByte: startByte + start, firstLine })
    payloads.push(objectOf(value, `line ${firstLine} `))
  }
  if (payloads.length === 0) throw new CodedError('body_empty')
  return payloads
}
const NEWLINE = 0x0a
const RETURN = 0x0d

function lineEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(NEWLINE, start)
  return end < 0 ? bytes.length : end
}

function objectOf(value: unknown, which = 'it '): Payload {
  if (isObject(value)) return value
  throw new CodedError('body_not_object', `an incident must be a JSON object; ${which}is ${kindOf(value)}`)
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

function refuseTooMany(count: number): void {
  if (count <= MAX_DOCUMENTS) return
  throw new CodedError('too_many_incidents', `the request holds more than ${MAX_DOCUMENTS} incidents`)
}
