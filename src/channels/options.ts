import { z } from 'zod'

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

const NOT_AN_ADDRESS = 'must be an address that begins with http:// or https://'
const NAME = /^[\w.@-]{1,64}$/

function isHttpUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
