import { CHANNEL_NAMES } from './delivery/delivery.ts'
import { CodedError } from './errors.ts'
import { EVENT_KINDS } from './event.ts'
import type { EventFilter } from './event-filter.ts'

const MAX_VALUES = 16
const MAX_SEVERITY_CHARACTERS = 32
const MAX_TEXT_CHARACTERS = 200

/** Filter as a client sends it: each field a text with commas, or a list of texts; empty or absent excludes nothing. */
export interface FilterQuery {
  readonly kinds?: unknown
  readonly channel?: unknown
  readonly severity?: unknown
  readonly q?: unknown
}

/** Returns the filter in a normal form: equal queries give equal filters. Throws `bad_parameter`. */
export function filterOf({ kinds, channel, severity, q }: FilterQuery): EventFilter {
  const text = textOf(q)
  return {
    ...part('kinds', known('kinds', EVENT_KINDS, kinds)),
    ...part('channels', known('channel', CHANNEL_NAMES, channel)),
    ...part('severities', severitiesOf(severity)),
    ...(text === '' ? {} : { q: text }),
  }
}

function part<K extends string, T>(name: K, values: readonly T[]): { [name in K]?: readonly T[] } {
  return values.length === 0 ? {} : ({ [name]: values } as { [name in K]: readonly T[] })
}

function known<T extends string>(name: string, all: readonly T[], given: unknown): T[] {
  const wanted = valuesOf(name, given)
  if (wanted.every((value) => all.some((each) => each === value))) return all.filter((each) => wanted.includes(each))
  throw new CodedError('bad_parameter', `${name} must be one or more of ${all.join(', ')}`)
}

function severitiesOf(given: unknown): string[] {
  const wanted = valuesOf('severity', given).map((value) => value.toLowerCase())
  if (wanted.every((value) => value.length <= MAX_SEVERITY_CHARACTERS)) return [...new Set(wanted)].sort()
  throw new CodedError('bad_parameter', `a severity has at most ${MAX_SEVERITY_CHARACTERS} characters`)
}

function valuesOf(name: string, given: unknown): string[] {
  const listed = given === undefined || given === null ? [] : Array.isArray(given) ? given : [given]
  if (!listed.every((value) => typeof value === 'string'))
    throw new CodedError('bad_parameter', `${name} must be text, or a list of texts`)
  const values = listed.flatMap((value) => value.split(',')).map((value) => value.trim())
  const named = values.filter((value) => value !== '')
  if (named.length <= MAX_VALUES) return named
  throw new CodedError('bad_parameter', `${name} names more than ${MAX_VALUES}`)
}

function textOf(given: unknown): string {
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string') throw new CodedError('bad_parameter', 'q must be text')
  const text = given.trim().toLowerCase()
  if (text.length <= MAX_TEXT_CHARACTERS) return text
  throw new CodedError('bad_parameter', `q has at most ${MAX_TEXT_CHARACTERS} characters`)
}
