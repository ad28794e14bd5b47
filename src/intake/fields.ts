import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'

const NOTHING: Payload = Object.freeze({})

/** An own property; anything else, inherited ones included, is absent. */
export function own(object: Payload, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The object under `key`, or an empty one. */
export function objectAt(object: Payload, key: string): Payload {
  return asObject(own(object, key))
}

/** `value` when it is an object and no list, else an empty object. */
export function asObject(value: unknown): Payload {
  return isObject(value) ? value : NOTHING
}

/** The list under `key`, or undefined. */
export function listAt(object: Payload, key: string): readonly unknown[] | undefined {
  const value = own(object, key)
  return Array.isArray(value) ? value : undefined
}

/** A string, number or boolean as text; '' for everything else. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The text under the first of `keys` that holds any but white space. */
export function textAt(object: Payload, keys: readonly string[]): string {
  for (const key of keys) {
    const text = asText(own(object, key))
    if (text !== '' && /\S/.test(text)) return text
  }
  return ''
}

/** Whether the text under `key` is `word`, whatever its case. */
export function hasText(object: Payload, key: string, word: string): boolean {
  const value = own(object, key)
  return typeof value === 'string' && value.length < 64 && value.trim().toLowerCase() === word
}
