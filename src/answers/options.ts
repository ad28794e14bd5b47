import { z } from 'zod'
import type { AnswerOrder } from '../domain/answer.ts'
import { duration, flag, oneOf, requiredDuration, text, whole } from '../settings/fields.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MAX_SILENCE_MS = 30 * DAY_MS

/** Keys of people. */
export const KEY = /^[a-z0-9_-]{1,40}$/
/** Without brackets, which tell the names of people who are not listed. */
const NAME = /^[^()[\]{}<>\p{Cc}\p{Cf}\u2028\u2029]{0,80}$/u

const id = (form: RegExp, error: string) => text().refine((given) => given === '' || form.test(given), { error })

/** The keys of a person that answers need. `src/config` adds those of on-call. */
export const identity = z.object({
  name: text().refine((name) => NAME.test(name), {
    error: 'must be at most 80 characters on one line, without brackets',
  }),
  ids: z
    .object({
      chatws: id(/^[UW][A-Z0-9]{5,24}$/, 'must be the id of a user, such as U0123ABCD'),
      msgapp: id(/^\d{1,20}$/, 'must be the number of a user, such as 123456789'),
      /** Name of one of the other topics. */
      ntfy: text(),
    })
    .prefault({}),
})

/** A person of the configuration. */
interface Person {
  readonly name: string
  readonly ids: { readonly chatws?: string; readonly msgapp?: string; readonly ntfy?: string }
}
export type People = ReadonlyMap<string, Person>

/** Leaves out ids that are empty; a person without a name is called by the key. */
export function personOf(key: string, { name, ids }: z.output<typeof identity>): Person {
  return { name: name || key, ids: Object.fromEntries(Object.entries(ids).filter(([, each]) => each !== '')) }
}

/** A button that messages carry while their problem fires. */
export type AnswerChoice = Pick<AnswerOrder, 'action' | 'minutes'>

const NOT_A_BUTTON = 'must be acknowledge, resolve, silence_until_resolved, or silence_ and a time such as silence_1h'
const SILENCE = /^silence_(.+)$/
const silenceTime = requiredDuration(MINUTE_MS)

const button = z.string({ error: NOT_A_BUTTON }).transform((word, ctx): AnswerChoice => {
  if (word === 'acknowledge' || word === 'resolve' || word === 'silence_until_resolved') return { action: word }
  const time = silenceTime.safeParse(SILENCE.exec(word)?.[1])
  if (time.success && time.data <= MAX_SILENCE_MS && time.data % MINUTE_MS === 0)
    return { action: 'silence', minutes: time.data / MINUTE_MS }
  ctx.addIssue({ code: 'custom', message: time.success ? 'must be whole minutes, at most 30 days' : NOT_A_BUTTON })
  return z.NEVER
})

/** A time from a minute to `most`. */
const timeWithin = (fallback: string, [mostMs, most]: readonly [number, string]) =>
  duration(fallback, MINUTE_MS).refine((ms) => ms <= mostMs, { error: `must be a time from 1m to ${most}` })

const ALL_BUTTONS = ['acknowledge', 'resolve', 'silence_1h', 'silence_until_resolved']

/** `answers`: what people can do from the messages of all channels. */
export const answers = z
  .object({
    allow: oneOf(['everybody', 'people']),
    buttons: z
      .array(button, { error: 'must be a list of 1 to 8 buttons' })
      .refine(({ length }) => length >= 1 && length <= 8, { error: 'must be a list of 1 to 8 buttons' })
      .refine((list) => new Set(list.map((each) => JSON.stringify(each))).size === list.length, {
        error: 'has a button twice',
      })
      .prefault(ALL_BUTTONS),
    quiet_for: timeWithin('10m', [DAY_MS, '24h']),
    max: timeWithin('24h', [MAX_SILENCE_MS, '30d']),
    copies: whole(20, [1, 200]),
    links: flag(false),
  })
  .transform(({ quiet_for, max, ...raw }) => ({
    ...raw,
    /** Of a silence until resolved. */
    quietForMs: quiet_for,
    maxMs: max,
  }))
