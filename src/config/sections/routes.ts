import { z } from 'zod'
import { CHANNEL_NAMES, type ChannelName } from '../../domain/delivery/delivery.ts'
import { compileCondition } from '../../policy/condition.ts'
import { PRIORITIES } from '../../policy/decision.ts'
import { MatchCache } from '../../policy/matcher.ts'
import type { RouteDestination, RouteSettings } from '../../policy/route.ts'
import { compileWindow, type ScheduleSettings } from '../../policy/schedule.ts'
import { flag, named, requiredDuration, text } from '../../settings/fields.ts'
import { errorText } from '../../text/error-text.ts'
import { group } from './group.ts'

/** A channel, or one of its other destinations, as a file writes it. */
export const destination = z.union([z.string(), z.record(z.string(), z.string())], {
  error: 'must be a channel, or a channel and the name of another destination, such as { chatws: ops }',
})

/** `refuse` reports what is wrong; its result is returned. */
export function destinationOf(
  given: z.output<typeof destination>,
  refuse: (message: string) => never,
): RouteDestination {
  const entries = typeof given === 'string' ? [[given, undefined] as const] : Object.entries(given)
  const [[name, target] = ['', undefined]] = entries
  if (entries.length !== 1) return refuse('must hold one channel; write each in an entry of its own')
  if (!isChannel(name)) return refuse(`is no channel; known: ${CHANNEL_NAMES.join(', ')}`)
  return { channel: name, ...(target !== undefined && { target }) }
}

const isChannel = (name: string): name is ChannelName => CHANNEL_NAMES.some((known) => known === name)

const WEEK_MINUTES = 7 * 24 * 60
const MINUTE_MS = 60_000
const MAX_ROUTES = 500
const NAME = /^[\w.@-][\w .@-]{0,63}$/

const NOT_VALUES = 'must be text or a list of texts; a number, true or false in a list needs quotes'
const values = z
  .union([z.string(), z.array(z.union([z.string(), z.number()])).min(1)], { error: NOT_VALUES })
  .transform((given) => (typeof given === 'string' ? [given] : given.map(String)))

/** `match`: conditions by field. */
export const match = z
  .record(z.string(), values, { error: 'must be a map of fields to values' })
  .default({})
  .transform((fields, ctx) =>
    Object.entries(fields).map(([field, wanted]) => {
      const condition = { field, values: wanted, where: '' }
      reported(ctx, [field], () => compileCondition(condition, new MatchCache()))
      return condition
    }),
  )

const NOT_DESTINATIONS = 'must be a list of channels, or "none"'
/** `to`: becomes undefined where the default counts, and an empty list for `none`. */
const to = z
  .union([z.string(), z.array(destination)], { error: NOT_DESTINATIONS })
  .transform((given, ctx): readonly RouteDestination[] | undefined => {
    if (given === '') return undefined
    if (given === 'none') return []
    if (typeof given === 'string') return issue(ctx, [], `${NOT_DESTINATIONS}: write [${given}]`)
    if (given.length === 0) return issue(ctx, [], 'is an empty list: write "none" to tell no channel')
    return given.map((each, at) => destinationOf(each, (message) => issue(ctx, [at], message)))
  })
  .prefault('')

const templates = z
  .record(z.string(), z.string(), { error: 'must be a map of channels to files' })
  .default({})
  .transform((paths, ctx) => {
    const known = new Map<ChannelName, string>()
    for (const [channel, path] of Object.entries(paths)) {
      if (isChannel(channel)) known.set(channel, path)
      else
        ctx.addIssue({ code: 'custom', path: [channel], message: `is no channel; known: ${CHANNEL_NAMES.join(', ')}` })
    }
    return known
  })

const WAIT = `must be a number of minutes from 0 to ${WEEK_MINUTES}`
const oncall = z
  .object({
    enable: z.boolean({ error: 'must be true or false' }).optional(),
    wait_minutes: z.number({ error: WAIT }).min(0, { error: WAIT }).max(WEEK_MINUTES, { error: WAIT }).optional(),
    routing_key: text(),
    escalation: text(),
  })
  .transform(({ enable, wait_minutes, routing_key, escalation }) => ({
    ...(enable !== undefined && { enable }),
    ...(wait_minutes !== undefined && { waitMs: Math.round(wait_minutes * MINUTE_MS) }),
    ...(routing_key !== '' && { target: routing_key }),
    ...(escalation !== '' && { escalation }),
  }))
  .prefault({})

export const name = z
  .string({ error: 'must be text' })
  .regex(NAME, { error: 'must be 1 to 64 letters, digits, spaces or any of . _ @ -' })

const route = z
  .object({
    name,
    match,
    during: text(),
    outside: text(),
    continue: flag(false),
    to,
    oncall,
    priority: z.enum(PRIORITIES, { error: `must be one of ${PRIORITIES.join(', ')}` }).optional(),
    group: group.optional(),
    templates,
  })
  .transform(
    ({ name, match, during, outside, to, priority, group, ...rest }): RouteSettings => ({
      ...rest,
      name,
      where: '',
      conditions: match,
      ...(during !== '' && { during }),
      ...(outside !== '' && { outside }),
      ...(to !== undefined && { to }),
      ...(priority !== undefined && { priority }),
      ...(group !== undefined && { group }),
    }),
  )

/** `routes`: rules in order. Places in the file are filled in by `located`. */
export const routes = z.array(route, { error: 'must be a list' }).max(MAX_ROUTES).default([])

/** One entry of a schedule. */
export const windows = z
  .object({
    cron: text(),
    rrule: text(),
    start: text(),
    for: requiredDuration(MINUTE_MS),
    time_zone: text('UTC'),
  })
  .transform(({ cron, rrule, start, for: forMs, time_zone: timeZone }, ctx) => {
    const settings = {
      forMs,
      timeZone,
      ...(cron !== '' && { cron }),
      ...(rrule !== '' && { rrule }),
      ...(start !== '' && { start }),
    }
    if ((cron === '') === (rrule === '')) issue(ctx, [], 'must have a "cron" or an "rrule", and not both')
    else if (!isTimeZone(timeZone)) issue(ctx, ['time_zone'], 'is not a time zone such as Europe/Berlin')
    else reported(ctx, [cron === '' ? 'rrule' : 'cron'], () => compileWindow(settings).nextStart(Date.now()))
    return settings
  })

/** `schedules`: lists of windows by name. */
export const schedules = named(z.array(windows, { error: 'must be a list' }).min(1)).transform(
  (found): ReadonlyMap<string, ScheduleSettings> => found,
)

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Turns what `compile` throws into an issue. */
export function reported(ctx: z.RefinementCtx, path: string[], compile: () => unknown): void {
  try {
    compile()
  } catch (error) {
    issue(ctx, path, errorText(error))
  }
}

function issue(ctx: z.RefinementCtx, path: (string | number)[], message: string): never {
  ctx.addIssue({ code: 'custom', path, message })
  return z.NEVER
}
