import { z } from 'zod'
import { maybe } from './fields.ts'
import { createKeys } from './names.ts'
import type { Tree } from './translated.ts'

const UNIT_MINUTES = new Map(Object.entries({ days: 1_440, hours: 60, minutes: 1, seconds: 1 / 60 }))

export const recipient = z.object({ type: z.string(), id: maybe, name: maybe, username: maybe })
export type TheirRecipient = z.output<typeof recipient>

const rule = z.object({
  condition: z.string().default('if-not-acked'),
  notifyType: z.string().default('default'),
  delay: z.object({ timeAmount: z.number(), timeUnit: z.string().default('minutes') }),
  recipient,
})
const repeat = z.object({
  ...{ waitInterval: z.number().nullish(), count: z.number().nullish() },
  ...{ resetRecipientStates: z.boolean().nullish(), closeAlertAfterAll: z.boolean().nullish() },
})
export const escalation = z.object({ name: z.string(), rules: z.array(rule).default([]), repeat: repeat.nullish() })

/**
 * Translates escalations. Delays count from the alert there, and from the step before here; rules of one delay are one step.
 * @param targetsOf targets of a recipient; none: it has no counterpart
 */
export function escalationsOf(
  given: readonly z.output<typeof escalation>[],
  targetsOf: (recipient: TheirRecipient) => readonly string[],
  note: (message: string) => void,
): { [name: string]: Tree } {
  const newName = createKeys()
  const written: { [name: string]: Tree } = {}
  for (const { name, rules, repeat } of given) {
    const say = (message: string) => note(`escalation ${name}: ${message}`)
    const byDelay = new Map<number, Set<string>>()
    for (const { condition, notifyType, delay, recipient } of rules) {
      const minutes = Math.ceil(delay.timeAmount * (UNIT_MINUTES.get(delay.timeUnit) ?? 0))
      const targets = notifyType === 'default' || recipient.type === 'user' ? targetsOf(recipient) : []
      const { type, name, username, id } = recipient
      const words = `the rule after ${minutes}m for the ${type} ${name ?? username ?? id}`
      if (targets.length === 0) say(`${words} (${notifyType}) has no counterpart: left out`)
      else if (condition !== 'if-not-acked') say(`${words}: here an acknowledgement stops it, too (${condition})`)
      if (targets.length > 0) byDelay.set(minutes, new Set([...(byDelay.get(minutes) ?? []), ...targets]))
    }
    for (const key of ['resetRecipientStates', 'closeAlertAfterAll'] as const)
      if (repeat?.[key]) say(`${key} has no counterpart`)
    const delays = [...byDelay.keys()].sort((a, b) => a - b)
    const steps = delays.map((minutes, nth) => {
      const after = minutes - (delays[nth - 1] ?? 0)
      return { ...(after > 0 && { after: `${after}m` }), notify: [...(byDelay.get(minutes) ?? [])] }
    })
    const rounds = repeat?.count ?? 0
    const wait = { repeat_after: `${Math.max(1, repeat?.waitInterval ?? 0)}m` }
    if (steps.length > 0) written[newName(name)] = { steps, repeat: rounds, ...(rounds > 0 && wait) }
    else say('no rule has a counterpart: left out')
  }
  return written
}
