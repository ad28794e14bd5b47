import { z } from 'zod'
import { uncovered } from '../../../policy/oncall/schedule.ts'
import { NOBODY, type Span } from '../../../policy/oncall/settings.ts'
import { instant, maybe, timeZone } from './fields.ts'
import { createKeys, PeopleTaken } from './names.ts'
import { escalation, escalationsOf, recipient, type TheirRecipient } from './opsgenie-escalations.ts'
import { compiled } from './proof.ts'
import type { Readings, Rendering, Translated, Tree } from './translated.ts'
import { DAY, daily, layerTree, localTimes, meet, minuteFrom, scheduleTree, WEEK, type Window } from './trees.ts'

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const hours = { startHour: z.int(), startMin: z.int(), endHour: z.int(), endMin: z.int() }
const restriction = z.object({ ...hours, startDay: z.enum(WEEKDAYS).optional(), endDay: z.enum(WEEKDAYS).optional() })

const rotation = z.object({
  ...{ id: z.string(), name: z.string().default(''), startDate: instant, endDate: instant.nullish() },
  type: z.enum(['hourly', 'daily', 'weekly']),
  length: z.int().nullish(),
  participants: z.array(recipient),
  timeRestriction: z
    .object({ restriction: restriction.nullish(), restrictions: z.array(restriction).nullish() })
    .nullish(),
})

const override = z.object({
  ...{ user: recipient, startDate: instant, endDate: instant },
  rotations: z.array(z.object({ id: z.string() })).nullish(),
})

const period = z.object({
  ...{ startDate: instant, endDate: instant, type: maybe, fromUser: maybe, recipient: recipient.nullish() },
  flattenedRecipients: z.array(recipient).nullish(),
})
const periods = z.object({ id: z.string(), periods: z.array(period).nullish() })

const schedule = z.object({
  ...{ id: z.string(), name: z.string(), timezone: timeZone, enabled: z.boolean().default(true) },
  rotations: z.array(rotation),
  overrides: z.array(override),
  timelines: z.array(
    z.object({ startDate: instant, endDate: instant, finalTimeline: z.object({ rotations: z.array(periods) }) }),
  ),
})
type Schedule = z.output<typeof schedule>

/** The file that the calls of docs/migrate.md write. */
const opsgenieExport = z.object({
  schedules: z.array(schedule),
  escalations: z.array(escalation),
  users: z.array(z.object({ id: z.string(), username: z.string(), fullName: maybe, timeZone: maybe })),
})

/** Translates an export of Opsgenie. Throws a ZodError for what is none. */
export function translateOpsgenie(given: unknown): Translated {
  const { schedules, escalations, users } = opsgenieExport.parse(given)
  const notes: string[] = []
  const people = new PeopleTaken(users.map((user) => ({ ...user, email: user.username, name: user.fullName })))
  const personOf = ({ type, id, name, username }: TheirRecipient) =>
    type === 'user' ? people.keyOf({ id, email: username ?? name }) : undefined
  const newName = createKeys()
  const taken = schedules.map((each) => {
    const note = (message: string) => void notes.push(`schedule ${each.name}: ${message}`)
    if (!each.enabled || each.rotations.length === 0) note('is disabled or has no rotation: left out')
    return { ...each, written: each.enabled ? schedulesOf(each, { personOf, newName, note }) : [] }
  })
  const targetsOf = (recipient: TheirRecipient): string[] => {
    const theirs = taken.filter(({ id, name }) => id === recipient.id || (!recipient.id && name === recipient.name))
    if (recipient.type === 'schedule')
      return theirs.flatMap(({ written }) => written.map(({ name }) => `schedule:${name}`))
    return [personOf(recipient) ?? []].flat().map((person) => `person:${person}`)
  }
  const tree = escalationsOf(escalations, targetsOf, (message) => void notes.push(message))
  return { people: people.tree, schedules: taken.flatMap(({ written }) => written), escalations: tree, notes }
}

interface Context {
  personOf(recipient: TheirRecipient): string | undefined
  newName(name: string): string
  note(message: string): void
}

/** A rotation as a layer; `startDate` and `endDate` are epoch milliseconds. */
interface Turns extends Pick<z.output<typeof rotation>, 'id' | 'name' | 'startDate' | 'endDate'> {
  readonly windows: readonly Window[]
  readonly layer: Tree
}

const MOST_LAYERS = 10

/** Returns one schedule of rotations that never overlap, and more for the others: there all their people are on call. */
function schedulesOf(given: Schedule, context: Context): Readings[] {
  const groups: Turns[][] = []
  const since = Math.min(Date.now(), ...given.timelines.map(({ startDate }) => startDate))
  const current = given.rotations.filter(({ endDate }) => !endDate || endDate > since)
  for (const turns of current.map((each) => turnsOf(each, given.timezone, context))) {
    const group = groups.find((group) => group.length < MOST_LAYERS && !group.some((each) => overlap(each, turns)))
    if (group === undefined) groups.push([turns])
    else group.push(turns)
  }
  return groups.map((group, nth) => {
    const names = group.map(({ name }) => name).join(', ')
    const name = context.newName(nth === 0 ? given.name : `${given.name}-${names}`)
    if (nth > 0) context.note(`${names} overlap other rotations: they are the schedule ${name}`)
    const layers = group.map(({ layer }) => layer)
    const tree = scheduleTree(given.timezone, layers, overridesOf(given, group, context))
    // Rendered shifts of rotations that are not in the export are compared with the first.
    const others = new Set(groups.flatMap((each) => (each === group ? [] : each.map(({ id }) => id))))
    const isOwn = (id: string) => group.some((each) => each.id === id) || (nth === 0 && !others.has(id))
    return { name, readings: [tree], rendered: renderingsOf(given, isOwn, context) }
  })
}

const overlap = (a: Turns, b: Turns) =>
  (a.endDate ?? Number.POSITIVE_INFINITY) > b.startDate &&
  (b.endDate ?? Number.POSITIVE_INFINITY) > a.startDate &&
  meet(a.windows, b.windows)

function turnsOf(given: z.output<typeof rotation>, zone: string, { personOf, note }: Context): Turns {
  const { id, name, type, startDate, endDate, participants } = given
  const local = localTimes(zone)
  const members = participants.map((each) => {
    const person = personOf(each)
    if (person === undefined && each.type !== 'none')
      note(`rotation ${name}: the ${each.type} ${each.name ?? each.id} has no counterpart: nobody has its turns`)
    return person ?? NOBODY
  })
  const windows = windowsOf(given)
  const layer = layerTree({
    ...{ name, windows, members, start: local(startDate), until: endDate ? local(endDate) : undefined },
    every: [given.length ?? 1, { hourly: 'hour', daily: 'day', weekly: 'week' }[type]],
  })
  return { id, name, startDate, endDate, windows, layer }
}

function windowsOf({ timeRestriction }: z.output<typeof rotation>): Window[] {
  const restrictions = timeRestriction?.restrictions ?? [timeRestriction?.restriction ?? []].flat()
  const length = (minutes: number, period: number) => (minutes + period) % period || period
  return restrictions.flatMap(({ startDay, endDay, startHour, startMin, endHour, endMin }) => {
    const [from, until] = [startHour * 60 + startMin, endHour * 60 + endMin]
    if (startDay === undefined) return daily({ from, minutes: length(until - from, DAY) })
    const [first, last] = [WEEKDAYS.indexOf(startDay) * DAY, WEEKDAYS.indexOf(endDay ?? startDay) * DAY]
    return [{ from: first + from, minutes: length(last + until - first - from, WEEK) }]
  })
}

/** Returns the overrides of a group of rotations. One that names some of them leaves the time of the others alone. */
function overridesOf({ timezone, overrides }: Schedule, group: readonly Turns[], { personOf }: Context) {
  return overrides.flatMap(({ user, startDate, endDate, rotations }) => {
    const isOther = ({ id }: Turns) => rotations?.length && !rotations.some((each) => each.id === id)
    const [others, who] = [group.filter(isOther), personOf(user) ?? NOBODY]
    const span = { from: minuteFrom(startDate), until: minuteFrom(endDate) }
    const layers = others.map(({ layer }) => ({ ...layer, members: ['anybody'] }))
    const free: Span[] = layers.length === 0 ? [span] : uncovered(compiled({ time_zone: timezone, layers }, span))
    return others.length === group.length ? [] : free.map((stretch) => ({ ...stretch, who }))
  })
}

function renderingsOf(
  { timelines }: Schedule,
  isOwn: (rotation: string) => boolean,
  { personOf, note }: Context,
): Rendering[] {
  const forwarded = new Set<string>()
  const rendered = timelines.map(({ startDate, endDate, finalTimeline }) => {
    const periods = finalTimeline.rotations.flatMap(({ id, periods }) => (isOwn(id) ? (periods ?? []) : []))
    const duties = periods.flatMap((each) => {
      if (each.type === 'forwarding') forwarded.add(each.fromUser ?? 'a user')
      const all = each.flattenedRecipients?.length ? each.flattenedRecipients : [each.recipient ?? []].flat()
      const there = all.filter(({ type }) => type !== 'none')
      const who = (of: TheirRecipient) => personOf(of) ?? `${of.type} ${of.name ?? of.id}`
      return there.map((of) => ({ from: each.startDate, until: each.endDate, who: who(of) }))
    })
    return { from: startDate, until: endDate, duties }
  })
  for (const user of forwarded) note(`the forwarding rule of ${user} has no counterpart: write an override`)
  return rendered
}
