import { z } from 'zod'
import type { KnownTargets } from '../domain/delivery.ts'

/** Text, trimmed. */
export const text = (fallback = '') => z.string({ error: 'must be text' }).trim().default(fallback)

/** A credential: printable ASCII without spaces, so that it fits in a header or a path. */
export const credential = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .regex(/^[\x21-\x7e]*$/, { error: 'must be printable ASCII without spaces' })
    .meta({ secret: true })
    .default('')

/** Any text. No log line, error or answer shows it. */
export const secret = () => z.string({ error: 'must be text' }).meta({ secret: true }).default('')

/** The base address of the provider's API, without slashes at its end. */
export const apiUrl = (fallback: string) =>
  z
    .string({ error: 'must be text' })
    .trim()
    .refine(isHttpUrl, { error: NOT_AN_ADDRESS })
    .transform((url) => url.replace(/\/+$/, ''))
    .prefault(fallback)

/** An address that is a secret as a whole, exactly as written; empty when none is given. */
export const secretUrl = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .refine((url) => url === '' || isHttpUrl(url), { error: NOT_AN_ADDRESS })
    .meta({ secret: true })

/** Other destinations by name. A Map, because a name such as `constructor` would reach an object's prototype. */
export const others = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string().regex(NAME, { error: 'must be named with 1 to 64 letters, digits or any of . _ @ -' }), value, {
      error: 'must be a map of names to values',
    })
    .default({})
    .transform((entries): ReadonlyMap<string, z.output<T>> => new Map(Object.entries(entries)))

/** Requests may name any chat by its id. */
export const acceptIds = () => z.boolean({ error: 'must be true or false' }).default(false)

/** Options of channels whose destinations are chats. */
interface ChatOptions {
  readonly channelId: string
  readonly others: ReadonlyMap<string, string>
  readonly acceptIds: boolean
}

/** Returns the targets of a channel whose destinations are chats with ids of the form. */
export function chatTargets({ channelId, others, acceptIds }: ChatOptions, form: RegExp): KnownTargets {
  return {
    names: [...others.keys()],
    ids: new Map<string, string | null>([
      ...Array.from(others, ([name, id]) => [id, name] as const),
      [channelId, null],
    ]),
    ...(acceptIds && { accepts: form }),
  }
}

/** Returns the targets of a channel whose destinations are secrets: requests choose them by name alone. */
export const namedTargets = (others: ReadonlyMap<string, unknown>): KnownTargets => ({
  names: [...others.keys()],
  ids: new Map(),
})

const NOT_AN_ADDRESS = 'must be an address that begins with http:// or https://'
const NAME = /^[\w.@-]{1,64}$/

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
