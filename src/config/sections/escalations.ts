import { z } from 'zod'
import { CHANNEL_NAMES } from '../../domain/delivery/delivery.ts'
import type { Escalation, EscalationStep, Target } from '../../policy/oncall/escalation.ts'
import { duration, flag, requiredDuration, text, whole } from '../../settings/fields.ts'
import { rank, within7d } from './people.ts'

const MAX = { escalations: 200, steps: 10, targets: 10, rounds: 10 }
const MINUTE_MS = 60_000
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS
const MAX_OVERRIDE_MS = 35 * 24 * 60 * MINUTE_MS

const NOT_A_TARGET =
  'must be like schedule:NAME, person:NAME, channel:CHANNEL, channel:CHANNEL:NAME, provider:PROVIDER or provider:PROVIDER:NAME'

/** Returns the parts of a target as the file writes it; undefined: it is none. */
export function partsOf(written: string): readonly [kind: Target['kind'], name: string, target?: string] | undefined {
  const [, kind, name, target] = /^(schedule|person|channel|provider):([^:]+)(?::([^:]+))?$/.exec(written.trim()) ?? []
  if (kind === undefined || name === undefined) return undefined
  if ((kind === 'schedule' || kind === 'person') && target !== undefined) return undefined
  return target === undefined ? [kind as Target['kind'], name] : [kind as Target['kind'], name, target]
}

const target = z.string({ error: NOT_A_TARGET }).transform((written, ctx): Target => {
  const [kind, name, other] = partsOf(written) ?? []
  const otherwise = other === undefined ? {} : { target: other }
  const channel = CHANNEL_NAMES.find((each) => each === name)
  if ((kind === 'schedule' || kind === 'person') && name !== undefined) return { kind, name }
  if (kind === 'provider') return { kind, ...otherwise }
  if (kind === 'channel' && channel !== undefined) return { kind, channel, ...otherwise }
  ctx.addIssue({
    code: 'custom',
    message:
      kind === 'channel' ? `${JSON.stringify(name)} is no channel; known: ${CHANNEL_NAMES.join(', ')}` : NOT_A_TARGET,
  })
  return z.NEVER
})

const NOT_STEPS = `must be a list of 1 to ${MAX.steps} steps`
const NOT_TARGETS = `must be a list of 1 to ${MAX.targets} targets; each ${NOT_A_TARGET}`

const step = z
  .object({
    after: within7d('0'),
    notify: z
      .array(target, { error: NOT_TARGETS })
      .min(1, { error: NOT_TARGETS })
      .max(MAX.targets, { error: NOT_TARGETS }),
    min_severity: rank(z.string({ error: 'must be a severity' })).optional(),
  })
  .transform(
    ({ after: afterMs, notify, min_severity: minRank }): EscalationStep => ({
      afterMs,
      notify,
      ...(minRank !== undefined && { minRank }),
    }),
  )

const steps = z
  .array(step, { error: NOT_STEPS })
  .min(1, { error: NOT_STEPS })
  .max(MAX.steps, { error: NOT_STEPS })
  .superRefine((found, ctx) => {
    for (const [at, { afterMs }] of found.entries())
      if (at > 0 && afterMs < MINUTE_MS)
        ctx.addIssue({
          code: 'custom',
          path: [at, 'after'],
          message: 'must be at least 1m, counted from the step before',
        })
  })

const escalation = z
  .object({
    steps,
    repeat: whole(2, [0, MAX.rounds]),
    repeat_after: duration('10m', MINUTE_MS).refine((ms) => ms <= WEEK_MS, { error: 'must be at most 7d' }),
    ack_for: requiredDuration(5 * MINUTE_MS)
      .refine((ms) => ms <= WEEK_MS, { error: 'must be at most 7d' })
      .optional(),
  })
  .transform(({ repeat_after: repeatAfterMs, ack_for: ackForMs, ...rest }) => ({
    ...rest,
    repeatAfterMs,
    ...(ackForMs !== undefined && { ackForMs }),
  }))

/** `oncall.escalations`, by name. */
const escalations = z
  .record(
    z.string().regex(/^[a-z0-9_-]{1,40}$/, { error: 'must be named with 1 to 40 lower-case letters, digits, _ or -' }),
    escalation,
    { error: 'must be a map of names to escalations' },
  )
  .default({})
  .refine((found) => Object.keys(found).length <= MAX.escalations, {
    error: `must have at most ${MAX.escalations} escalations`,
  })
  .transform(
    (found): ReadonlyMap<string, Escalation> =>
      new Map(Object.entries(found).map(([name, each]) => [name, { name, ...each }])),
  )

/** The keys of `oncall` beside the providers, the schedules and the gateways. */
export const escalationKeys = {
  /** Name of the escalation of what pages and names none. */
  escalation: text(),
  escalations,
  /** Overrides that people make: `api: false` leaves only those of the file. */
  overrides: z
    .object({
      api: flag(true),
      max: duration('35d', MINUTE_MS).refine((ms) => ms <= MAX_OVERRIDE_MS, { error: 'must be at most 35d' }),
    })
    .transform(({ api, max: maxMs }) => ({ api, maxMs })),
  /** Calendars of shifts. Another number ends all addresses. */
  feeds: z.object({ enable: flag(true), revision: whole(1, [0, 1_000_000]) }),
}
