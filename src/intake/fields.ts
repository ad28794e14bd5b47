import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'

const NOTHING: Payload = Object.freeze({})

/** Words of a problem. */
export interface Words {
  readonly title: string
  readonly service: string
  readonly severity: string
}

/** Returns an own property; undefined for inherited ones. */
export function own(object: Payload, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Returns the object under `key`, else an empty one. */
export function objectAt(object: Payload, key: string): Payload {
  return asObject(own(object, key))
}

/** Returns `value` if it is an object and no array, else an empty object. */
export function asObject(value: unknown): Payload {
  return isObject(value) ? value : NOTHING
}

/** Returns the array under `key`, else undefined. */
export function listAt(object: Payload, key: string): readonly unknown[] | undefined {
  const value = own(object, key)
  return Array.isArray(value) ? value : undefined
}

/** Returns a string, number or boolean as text; '' for other values. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Returns the text under the first of `keys` whose text is not blank; '' when there is none. */
export function textAt(object: Payload, keys: readonly string[]): string {
  for (const key of keys) {
    const text = asText(own(object, key))
    if (text !== '' && /\S/.test(text)) return text
  }
  return ''
}

/** Returns true when the text under `key` is `word` in any case. */
export function hasText(object: Payload, key: string, word: string): boolean {
  const value = own(object, key)
  return typeof value === 'string' && value.length < 64 && value.trim().toLowerCase() === word
}

/** Tags of one payload that are read. */
const MAX_TAGS = 256

/**
 * Returns tags by name. Senders write them as a map, or as a list of `[name, value]`, of `{key, value}` or
 * `{name, value}`, or of `name:value`.
 */
export function tagsOf(tags: unknown): Payload {
  if (isObject(tags)) return tags
  if (!Array.isArray(tags)) return {}
  return Object.fromEntries(tags.slice(0, MAX_TAGS).map(pairOf))
}

function pairOf(tag: unknown): [name: string, value: unknown] {
  if (Array.isArray(tag)) return [asText(tag[0]), tag[1]]
  if (isObject(tag)) return [textAt(tag, ['key', 'name', 'Name']), own(tag, 'value') ?? own(tag, 'Value')]
  const text = asText(tag)
  const colon = text.indexOf(':')
  return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
}
