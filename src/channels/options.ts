import { z } from 'zod'
import type { KnownTargets } from '../domain/delivery/delivery.ts'
import { flag, isHttpUrl, NOT_A_URL, named, text, writtenUrl } from '../settings/fields.ts'

/** A credential: printable ASCII without spaces, so that it fits in a header or a path. */
export const credential = () =>
  z
    .string({ error: 'must be text' })
    .trim()
    .regex(/^[\x21-\x7e]*$/, { error: 'must be printable ASCII without spaces' })
    .meta({ secret: true })
    .default('')

/** A secret with the blanks around it. */
export const untrimmedSecret = () => z.string({ error: 'must be text' }).meta({ secret: true }).default('')

/** The base address of the provider's API, without slashes at its end. */
export const apiUrl = (fallback: string) =>
  z
    .string({ error: 'must be text' })
    .trim()
    .refine(isHttpUrl, { error: NOT_A_URL })
    .transform((url) => url.replace(/\/+$/, ''))
    .prefault(fallback)

/** An address that is a secret as a whole, exactly as written; empty when none is given. */
export const secretUrl = () => writtenUrl().meta({ secret: true })

/** Keys of channels whose destinations are chats. */
export const chatKeys = {
  token: credential(),
  channel_id: text(),
  other_channel_ids: named(z.string().trim().min(1)),
  /** Requests may name any chat by its id. */
  accept_ids: flag(false),
}

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

/** The address of a person at a channel. */
export const personId = (form: RegExp, what: string) =>
  z
    .string({ error: `must be ${what}` })
    .trim()
    .regex(form, { error: `must be ${what}` })

/** Returns the targets of a channel whose destinations are secrets: requests choose them by name alone. */
export const namedTargets = (others: ReadonlyMap<string, unknown>): KnownTargets => ({
  names: [...others.keys()],
  ids: new Map(),
})
