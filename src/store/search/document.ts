import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { Source, Status } from '../../domain/incident.ts'
import { CHANNEL_CODE } from '../engine/column-codes.ts'
import { wordsOf } from './words.ts'

/** The searchable part of an incident. */
export interface SearchableIncident {
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly sender: string
  /** Payload, JSON in UTF-8. */
  readonly content: Uint8Array
}

/** Bound of the payload text that is indexed; the rest of a larger payload is not found. */
const MAX_CHARACTERS = 16_384
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
const utf8 = new TextDecoder()

/** Boundaries inside names like `DiskWillFillSoon`, whose parts are indexed too. */
const CAMEL_CASE_BOUNDARY = /([\p{Ll}\p{N}])(?=\p{Lu})/gu

/** Returns the words of title, service, severity, sender and the values of the payload, with a space around each. */
export function documentOf({ title, service, severity, sender, content }: SearchableIncident): string {
  const own = [title, title.replace(CAMEL_CASE_BOUNDARY, '$1 '), service, severity, sender.replaceAll('_', ' ')]
  return ` ${[...own, ...textsIn(parsed(content))].flatMap(wordsOf).join(' ')} `
}

function parsed(content: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(content))
  } catch {
    return undefined
  }
}

/** Values in the order of the payload. Timestamps are left out: nearly every one would be a new word. */
function textsIn(payload: unknown): string[] {
  const texts: string[] = []
  let room = MAX_CHARACTERS
  const walk = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) if (room > 0) walk(inner)
    } else if (typeof value === 'number' || (typeof value === 'string' && !TIMESTAMP.test(value))) {
      const text = String(value).slice(0, room)
      texts.push(text)
      room -= text.length + 1
    }
  }
  walk(payload)
  return texts
}

/** Filter values of a list. */
interface Facets {
  readonly status: Status | undefined
  readonly source: Source | undefined
  readonly severity: string | undefined
  readonly service: string | undefined
  readonly channels: readonly ChannelName[]
}

/**
 * Returns an index term for each filter value, prefixed `=` so that it cannot occur in text. Terms of enums have two
 * characters, too few for the prefix index; free text is hashed.
 */
export function facetTerms({ status, source, severity, service, channels }: Facets): string[] {
  return [
    ...(status === undefined ? [] : [`=${status.charAt(0)}`]),
    ...(source === undefined ? [] : [`=${source.charAt(0)}`]),
    ...(severity === undefined ? [] : [digestOf(`severity ${severity}`)]),
    ...(service === undefined ? [] : [digestOf(`service ${service}`)]),
    ...channels.map((name) => `=${CHANNEL_CODE[name]}`),
  ]
}

/** Hashes of services and severities, which repeat all the time. */
const digests = new LRUCache<string, string>({ max: 1_000 })

function digestOf(facet: string): string {
  const known = digests.get(facet)
  if (known !== undefined) return known
  const digest = `=${hash('sha1', facet, 'hex').slice(0, 16)}`
  digests.set(facet, digest)
  return digest
}
