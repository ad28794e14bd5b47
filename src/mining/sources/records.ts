import { isObject } from '../../text/json-object.ts'
import type { Fields } from '../fields.ts'
import { MAX_EVENT, type RawEvent } from './contract.ts'

const MESSAGE_FIELDS = ['message', 'log', 'msg', 'text', 'body', 'event', 'line']
const SERVICE_FIELDS = [
  'service',
  'service.name',
  'service_name',
  'serviceName',
  'kubernetes.labels.app',
  'kubernetes.container_name',
  'container_name',
  'app',
  'application',
]

/**
 * Converts a JSON record to an event. Returns undefined when it has no text.
 * @param messageField dotted path of the text, tried before the usual names
 */
export function eventOf(record: unknown, messageField = ''): RawEvent | undefined {
  if (typeof record === 'string') return textEvent(record)
  if (!isObject(record)) return undefined
  const text = textAt(record, messageField === '' ? MESSAGE_FIELDS : [messageField, ...MESSAGE_FIELDS])
  const event = textEvent(text ?? JSON.stringify(record))
  const service = textAt(record, SERVICE_FIELDS)
  return event && service ? { ...event, service } : event
}

/** Converts a line of JSON to an event. A line that is not JSON becomes the event's text. */
export function eventOfLine(line: string, messageField = ''): RawEvent | undefined {
  let record: unknown
  try {
    record = JSON.parse(line)
  } catch {
    return textEvent(line)
  }
  return eventOf(record, messageField) ?? textEvent(line)
}

function textEvent(text: string): RawEvent | undefined {
  const trimmed = text.trimEnd()
  return trimmed === '' ? undefined : { text: trimmed.slice(0, MAX_EVENT) }
}

/** Returns the first text that is not blank among the values at the given paths. */
export function textAt(record: Fields, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const value = at(record, path)
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Returns the event with the values at the paths behind its text, such as `level=error`; absent ones are left out. */
export function withFields(event: RawEvent, record: unknown, paths: readonly string[]): RawEvent {
  if (!isObject(record)) return event
  const added = paths.flatMap((path) => {
    const value = at(record, path)
    if (value === undefined || value === null || value === '') return []
    return [`${path}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
  })
  return added.length === 0 ? event : { ...event, text: [event.text, ...added].join(' ').slice(0, MAX_EVENT) }
}

/** Returns the value at a dotted path. A key that contains the dots takes precedence over nested objects. */
function at(record: Fields, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path]
  let here: unknown = record
  for (const key of path.split('.')) {
    if (!isObject(here) || !Object.hasOwn(here, key)) return undefined
    here = here[key]
  }
  return here
}
