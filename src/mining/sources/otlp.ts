import { CodedError } from '../../domain/errors.ts'
import { isObject } from '../../text/json-object.ts'
import { MAX_EVENT, type RawEvent } from './contract.ts'
import {
  type AnyValue,
  type Attribute,
  type LogRecord,
  MAX_DEPTH,
  MAX_MESSAGES,
  NotOtlp,
  type ReadRecord,
  readProtobuf,
} from './otlp-wire.ts'
import type { Read } from './push.ts'

const LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']
const NUMBERS_OF_A_LEVEL = 4
const OBJECT = '{'.charCodeAt(0)
const LIST = '['.charCodeAt(0)
/** Attributes of a record that stand behind its text. */
const EXCEPTION = ['exception.type', 'exception.message']

/** Returns the reader of OTLP logs, as protobuf or JSON. `extraFields`: further attributes that stand behind the text. */
export function otlpReader({ extraFields }: { readonly extraFields: readonly string[] }): Read {
  const named = [...EXCEPTION, ...extraFields]
  return (body, contentType) => {
    const isJson = contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
    let rejected = 0
    // All records of a resource have its list: it is searched once for them.
    let known: { readonly resource: readonly Attribute[]; readonly service: string | undefined } | undefined
    const events = (isJson ? readJson : readProtobuf)(body, (record, resource): RawEvent | undefined => {
      const text = textOf(record, named)
      if (text === undefined) {
        rejected++
        return undefined
      }
      if (known?.resource !== resource) known = { resource, service: serviceOf(resource) }
      const { service } = known
      return service === undefined ? { text } : { text, service }
    })
    return { events, rejected }
  }
}

/** SDKs name a service that nobody named `unknown_service:<program>`. */
function serviceOf(attributes: readonly Attribute[]): string | undefined {
  const name = attributes.find(([key]) => key === 'service.name')?.[1]
  return typeof name === 'string' && name !== '' && !name.startsWith('unknown_service') ? name : undefined
}

/** Returns level, text and attributes on one line; undefined for a record without any text. */
function textOf({ severityNumber, severityText, body, attributes, eventName }: LogRecord, named: readonly string[]) {
  const told = bodyText(body) || eventName
  const behind = named.flatMap((name) => {
    const value = bodyText(attributes.find(([key]) => key === name)?.[1])
    return value === '' ? [] : [`${name}=${value}`]
  })
  if (told === '' && behind.length === 0) return undefined
  const level = severityText.toUpperCase() || LEVELS[Math.ceil(severityNumber / NUMBERS_OF_A_LEVEL) - 1] || ''
  return [level, told, ...behind]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, MAX_EVENT)
}

function bodyText(value: AnyValue): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Reads the JSON form of an `ExportLogsServiceRequest`, like `readProtobuf`. */
function readJson<T>(body: Buffer, read: ReadRecord<T>): T[] {
  boundJson(body)
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString())
  } catch {
    throw new NotOtlp('the body is not valid JSON')
  }
  return listAt(objectOf(parsed, 'the body'), 'resourceLogs').flatMap((each) => {
    const { resource, ...rest } = objectOf(each, 'resourceLogs')
    const attributes =
      resource === undefined || resource === null ? [] : attributesAt(objectOf(resource, 'resource'), 0)
    return listAt(rest, 'scopeLogs').flatMap((scope) =>
      listAt(objectOf(scope, 'scopeLogs'), 'logRecords').flatMap((record) => {
        const made = read(recordOf(objectOf(record, 'logRecords')), attributes)
        return made === undefined ? [] : [made]
      }),
    )
  })
}

/** Throws body_too_large for a body that would become too many objects. */
function boundJson(body: Buffer): void {
  let messages = 0
  for (const byte of body) if (byte === OBJECT || byte === LIST) messages++
  if (messages > MAX_MESSAGES)
    throw new CodedError('body_too_large', `the request has more than ${MAX_MESSAGES} objects and lists`)
}

type Json = { readonly [key: string]: unknown }

function recordOf(raw: Json): LogRecord {
  const severity = Number(raw.severityNumber ?? 0)
  return {
    severityNumber: Number.isInteger(severity) ? severity : 0,
    severityText: textAt(raw, 'severityText'),
    body: raw.body === undefined || raw.body === null ? undefined : anyValueOf(objectOf(raw.body, 'body'), 0),
    attributes: attributesAt(raw, 0),
    eventName: textAt(raw, 'eventName'),
  }
}

const attributesAt = (raw: Json, depth: number): Attribute[] =>
  listAt(raw, 'attributes').map((each) => attributeOf(each, depth))

function attributeOf(raw: unknown, depth: number): Attribute {
  const { key, value } = objectOf(raw, 'an attribute')
  if (typeof key !== 'string') throw new NotOtlp('the key of an attribute is no text')
  return [
    key,
    value === undefined || value === null ? undefined : anyValueOf(objectOf(value, 'the value of an attribute'), depth),
  ]
}

/** Fields that are not known are ignored, as the contract asks. */
function anyValueOf(raw: Json, depth: number): AnyValue {
  if (depth >= MAX_DEPTH) throw new NotOtlp(`a value is nested deeper than ${MAX_DEPTH}`)
  for (const [kind, value] of Object.entries(raw)) {
    if (value === null || !Object.hasOwn(KINDS, kind)) continue
    const read = KINDS[kind]?.(value, depth + 1)
    if (read === undefined) throw new NotOtlp(`${kind} has another type`)
    return read
  }
  return undefined
}

type ReadKind = (value: unknown, depth: number) => AnyValue

const textKind: ReadKind = (value) => (typeof value === 'string' ? value : undefined)

/** Each returns undefined for a value of another type. 64-bit numbers, and those that JSON does not have, are texts. */
const KINDS: { readonly [kind: string]: ReadKind } = {
  stringValue: textKind,
  bytesValue: textKind,
  boolValue: (value) => (typeof value === 'boolean' ? value : undefined),
  intValue: (value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : undefined),
  doubleValue: (value) => (typeof value === 'string' || typeof value === 'number' ? value : undefined),
  arrayValue: (value, depth) =>
    listAt(objectOf(value, 'arrayValue'), 'values').map((each) => anyValueOf(objectOf(each, 'a value'), depth)),
  kvlistValue: (value, depth) =>
    Object.fromEntries(listAt(objectOf(value, 'kvlistValue'), 'values').map((each) => attributeOf(each, depth))),
}

function objectOf(value: unknown, what: string): Json {
  if (!isObject(value)) throw new NotOtlp(`${what} is no JSON object`)
  return value
}

function listAt(object: Json, key: string): readonly unknown[] {
  const value = object[key]
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new NotOtlp(`${key} is no list`)
  return value
}

function textAt(object: Json, key: string): string {
  const value = object[key]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new NotOtlp(`${key} is no text`)
  return value
}
