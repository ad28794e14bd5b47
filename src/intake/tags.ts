import type { Payload } from '../domain/incident.ts'
import { isObject } from '../text/json-object.ts'
import { asText, own, textAt } from './fields.ts'

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
