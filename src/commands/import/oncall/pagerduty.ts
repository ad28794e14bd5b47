import { z } from 'zod'
import { instant, maybe, timeZone } from './fields.ts'
import { createKeys, PeopleTaken } from './names.ts'
import type { Readings, Translated, Tree } from './translated.ts'
import { DAY, daily, layerTree, localTimes, scheduleTree, WEEK, type Window } from './trees.ts'

const reference = z.object({ id: z.string(), type: maybe, summary: maybe })

const layer = z.object({
  ...{ name: z.string().default(''), start: instant, end: instant.nullish(), rotation_virtual_start: instant },
  rotation_turn_length_seconds: z.int().min(60),
  users: z.array(z.object({ user: reference })).min(1),
  restrictions: z
    .array(
      z.object({
        start_time_of_day: z.string().regex(/^\d\d:\d\d/),
        duration_seconds: z.int(),
        start_day_of_week: z.int().min(1).max(7).nullish(),
      }),
    )
    .nullish(),
})
type Layer = z.output<typeof layer>

const entry = z.object({ start: instant, end: instant, user: reference })
const schedule = z.object({
  ...{ id: z.string(), name: z.string(), time_zone: timeZone },
  /** Absent: a schedule of shifts. */
  schedule_layers: z.array(layer).nullish(),
  overrides: z.array(entry),
  rendered: z.array(
    z.object({
      ...{ since: instant, until: instant },
      final_schedule: z.object({ rendered_schedule_entries: z.array(entry) }),
    }),
  ),
})

const policy = z.object({
  ...{ name: z.string(), num_loops: z.int().nullish() },
  escalation_rules: z.array(
    z.object({
      escalation_delay_in_minutes: z.number(),
      targets: z.array(reference),
      escalation_rule_assignment_strategy: z.object({ type: z.string() }).nullish(),
    }),
  ),
})

/** The file that the calls of docs/migrate.md write. */
const pagerdutyExport = z.object({
  schedules: z.array(schedule),
  escalation_policies: z.array(policy),
  users: z.array(z.object({ id: z.string(), name: z.string(), email: z.string(), time_zone: maybe })),
})

/** Translates an export of PagerDuty. Throws a ZodError for what is none. */
export function translatePagerduty(given: unknown): Translated {
  const { schedules, escalation_policies, users } = pagerdutyExport.parse(given)
  const notes: string[] = []
  const note = (message: string) => void notes.push(message)
  const people = new PeopleTaken(users.map((user) => ({ ...user, timeZone: user.time_zone })))
  const personOf = ({ id, summary }: z.output<typeof reference>) => people.keyOf({ id, name: summary })
  const dutyOf = ({ start, end, user }: z.output<typeof entry>) => ({ from: start, until: end, who: personOf(user) })
  const newName = createKeys()
  const written = schedules.flatMap((each): (Readings & { readonly id: string })[] => {
    if (!each.schedule_layers?.length) note(`schedule ${each.name}: has no layers, such as one of shifts: left out`)
    const overrides = each.overrides.map(dutyOf)
    const rendered = each.rendered.map(({ since, until, final_schedule }) => {
      return { from: since, until, duties: final_schedule.rendered_schedule_entries.map(dutyOf) }
    })
    const since = Math.min(Date.now(), ...rendered.map(({ from }) => from))
    const current = (each.schedule_layers ?? []).filter(({ end }) => !end || end > since)
    const layers = current.map((layer) => layersOf(layer, { zone: each.time_zone, since, personOf }))
    // The API lists the last layer first, which decides. Should it list them as they are shown, the rendering tells.
    const orders = layers.length > 1 ? [layers, layers.toReversed()] : [layers]
    const readings = orders.map((order) => scheduleTree(each.time_zone, order.flat(), overrides))
    return layers.length === 0 ? [] : [{ id: each.id, name: newName(each.name), readings, rendered }]
  })
  const nameOf = new Map(written.map(({ id, name }) => [id, name]))
  const policyName = createKeys()
  const escalations: { [name: string]: Tree } = {}
  for (const policy of escalation_policies) {
    const say = (message: string) => note(`escalation policy ${policy.name}: ${message}`)
    const tree = escalationOf(policy, { nameOf, personOf, say })
    if (tree === undefined) say('no rule has a counterpart: left out')
    else escalations[policyName(policy.name)] = tree
  }
  return { people: people.tree, schedules: written, escalations, notes }
}

type PersonOf = (user: z.output<typeof reference>) => string
const HOUR = 3_600

/** Returns a layer; one that begins later, within a turn, is two. */
function layersOf(
  given: Layer,
  context: { readonly zone: string; readonly since: number; readonly personOf: PersonOf },
) {
  const local = localTimes(context.zone)
  const seconds = given.rotation_turn_length_seconds
  const people = given.users.map(({ user }) => context.personOf(user))
  const [start, virtual] = [local(given.start), local(given.rotation_virtual_start)]
  const turn = Math.floor((start - virtual) / (seconds * 1_000))
  const handover = (nth: number) => virtual + nth * seconds * 1_000
  const from = (nth: number) => {
    const at = ((nth % people.length) + people.length) % people.length
    return { start: handover(nth), members: [...people.slice(at), ...people.slice(0, at)] }
  }
  const until = given.end ? local(given.end) : undefined
  const rest = { name: given.name, windows: windowsOf(given), every: everyOf(seconds), until }
  if (handover(turn) === start || given.start <= context.since) return [layerTree({ ...rest, ...from(turn) })]
  const next = handover(turn + 1)
  const cut = layerTree({ ...rest, ...from(turn), start, until: Math.min(until ?? next, next) })
  return (until ?? next + 1) <= next ? [cut] : [cut, layerTree({ ...rest, ...from(turn + 1) })]
}

/** Turns of whole days keep the time of day, others are hours. */
function everyOf(seconds: number): readonly [number, string] {
  const hours = seconds / HOUR
  if (hours % (7 * 24) === 0) return [hours / (7 * 24), 'week']
  return hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour']
}

function windowsOf({ restrictions }: Layer): Window[] {
  const windows = (restrictions ?? []).map(({ start_time_of_day, duration_seconds, start_day_of_week }) => {
    const [hours = 0, minutes = 0] = start_time_of_day.split(':').map(Number)
    const [day, period] = start_day_of_week ? [start_day_of_week - 1, WEEK] : [0, DAY]
    const window = { from: day * DAY + hours * 60 + minutes, minutes: Math.ceil(duration_seconds / 60) }
    return { isAlways: window.minutes >= period, each: period === DAY ? daily(window) : [window] }
  })
  return windows.some(({ isAlways }) => isAlways) ? [] : windows.flatMap(({ each }) => each)
}

interface Names {
  readonly nameOf: ReadonlyMap<string, string>
  readonly personOf: PersonOf
  say(message: string): void
}

/** The delay of a rule is the time until the next one. Undefined: no rule has a counterpart. */
function escalationOf({ escalation_rules, num_loops }: z.output<typeof policy>, names: Names): Tree | undefined {
  const steps: Tree[] = []
  let waited = 0
  for (const { escalation_delay_in_minutes, targets, escalation_rule_assignment_strategy } of escalation_rules) {
    if (escalation_rule_assignment_strategy?.type === 'round_robin')
      names.say('round_robin has no counterpart: all targets of the rule are asked')
    const notify = targets.flatMap((target) => {
      const schedule = names.nameOf.get(target.id)
      if (schedule !== undefined) return [`schedule:${schedule}`]
      if (target.type?.startsWith('user')) return [`person:${names.personOf(target)}`]
      names.say(`the target ${target.summary ?? target.id} has no counterpart: left out`)
      return []
    })
    if (notify.length > 0) {
      steps.push({ ...(waited > 0 && { after: `${waited}m` }), notify })
      waited = 0
    }
    waited += escalation_delay_in_minutes
  }
  const rounds = num_loops ?? 0
  return steps.length === 0 ? undefined : { steps, repeat: rounds, ...(rounds > 0 && { repeat_after: `${waited}m` }) }
}
