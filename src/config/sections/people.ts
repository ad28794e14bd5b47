import { z } from 'zod'
import { identity, KEY } from '../../answers/options.ts'
import { CHANNELS } from '../../channels/index.ts'
import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery/delivery.ts'
import { isSeverity, severityRank } from '../../domain/severity.ts'
import { PERSONAL_KEYS, type ProviderName, personalKeys } from '../../oncall/options.ts'
import type { Quiet } from '../../policy/oncall/escalation.ts'
import { duration, secret, text } from '../../settings/fields.ts'
import { isTimeZone } from './routes.ts'

const MAX = { people: 500, ways: 8 }
const WEEK_MS = 7 * 24 * 3_600_000

/** A way as the file has it: with the address. */
export type AddressedWay = { readonly afterMs: number } & (
  | { readonly kind: 'channel'; readonly channel: ChannelName; readonly address: string }
  | { readonly kind: 'gateway'; readonly gateway: string; readonly address: string }
  | { readonly kind: 'provider'; readonly provider: ProviderName; readonly address: string }
)

/** A time up to a week; without a unit only 0. */
export const within7d = (fallback: string) =>
  duration(fallback, 0).refine((ms) => ms <= WEEK_MS, { error: 'must be at most 7d' })

/** A severity; becomes its rank. */
export const rank = (written: z.ZodType<string, string | undefined>) =>
  written
    .refine(isSeverity, { error: 'must be a severity: critical, high, warning, info or debug' })
    .transform(severityRank)

/** Channels that reach single persons, with the form of the address. */
const REACHING = CHANNEL_NAMES.flatMap((name) => {
  const form = CHANNELS[name].person
  return form === undefined ? [] : [[name, form] as const]
})
const NOT_A_WAY = `must have one of ${[...REACHING.map(([name]) => name), 'gateway', 'provider'].join(', ')}, with a value`

const way = z
  .intersection(
    z.object({
      gateway: text(),
      to: secret(),
      provider: z.enum(Object.keys(PERSONAL_KEYS) as ProviderName[]).optional(),
      ...personalKeys,
      after: within7d('0'),
    }),
    z.object(Object.fromEntries(REACHING.map(([name, form]) => [name, form.optional()]))),
  )
  .transform(({ after: afterMs, gateway, to, provider, ...keys }, ctx): AddressedWay => {
    const addresses: { readonly [name: string]: string | undefined } = keys
    const channels = REACHING.filter(([name]) => addresses[name])
    const [first] = channels
    if (channels.length + Number(gateway !== '') + Number(provider !== undefined) !== 1) return refused(ctx, NOT_A_WAY)
    if (first !== undefined) return { kind: 'channel', channel: first[0], address: addresses[first[0]] ?? '', afterMs }
    if (provider === undefined)
      return to === ''
        ? refused(ctx, 'is missing: the gateway needs it', 'to')
        : { kind: 'gateway', gateway, address: to, afterMs }
    const key = PERSONAL_KEYS[provider] ?? ''
    const address = addresses[key] ?? ''
    return address === ''
      ? refused(ctx, `is missing: it says whom ${provider} pages`, key)
      : { kind: 'provider', provider, address, afterMs }
  })

function refused(ctx: z.RefinementCtx, message: string, ...path: string[]): never {
  ctx.addIssue({ code: 'custom', path, message })
  return z.NEVER
}

const HOURS = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/
const NOT_HOURS = 'must be two times such as "22:00-07:00"'

const quiet = z
  .object({ hours: text(), below: rank(text('high')) })
  .transform(({ hours, below: belowRank }, ctx): Quiet | undefined => {
    if (hours === '') return undefined
    const [, from, until] = HOURS.exec(hours) ?? []
    return from === undefined || until === undefined || from === until
      ? refused(ctx, NOT_HOURS, 'hours')
      : { from: minutesOf(from), until: minutesOf(until), belowRank }
  })

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return 60 * hours + minutes
}

const person = z.intersection(
  identity,
  z.object({
    time_zone: text('UTC').refine(isTimeZone, { error: 'is not a time zone such as Europe/Berlin' }),
    ways: z.array(way, { error: 'must be a list' }).max(MAX.ways).default([]),
    quiet,
  }),
)

/** `people`: who they are at the providers, and how they are reached, by a key of the operator's choice. */
export const people = z
  .record(z.string().regex(KEY, { error: 'must be named with 1 to 40 lower-case letters, digits, _ or -' }), person, {
    error: 'must be a map of names to people',
  })
  .default({})
  .refine((found) => Object.keys(found).length <= MAX.people, { error: `must have at most ${MAX.people} people` })
  .transform((found) => new Map(Object.entries(found)))

export type PeopleOfFile = z.output<typeof people>
