import { randomFrom } from '../../harness/random.ts'
import { DAY, inWeek, iso, MINUTE, type Minutes, minutesOf, type Part, stretches, WEEK } from './minutes.ts'

/** A rotation of the test; times are local, as UTC milliseconds of the same date and time. */
interface Rotation {
  readonly id: string
  readonly name: string
  readonly start: number
  readonly end?: number
  readonly type: 'hourly' | 'daily' | 'weekly'
  readonly length: number
  readonly users: readonly (string | undefined)[]
  readonly parts: readonly Part[]
  readonly timeRestriction?: object
}
interface Override {
  readonly user: string
  readonly from: number
  readonly until: number
  readonly rotations: readonly string[]
}
interface Schedule {
  readonly name: string
  readonly zone: string
  readonly rotations: readonly Rotation[]
  readonly overrides: readonly Override[]
}

const UNIT = { hourly: 60 * MINUTE, daily: DAY, weekly: WEEK }
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
/** A zone, and a day in the week before its clocks go forward and one before they go back. */
const ZONES = [
  ['Europe/Berlin', '2027-03-25', '2027-10-28'],
  ['America/New_York', '2027-03-11', '2027-11-04'],
  ['Australia/Sydney', '2027-09-30', '2027-04-01'],
  ['Europe/London', '2027-03-25', '2027-10-28'],
  ['America/Santiago', '2027-09-02', '2027-04-01'],
  ['Asia/Kolkata', '2027-03-25', '2027-10-28'],
] as const
/** The time of the export. */
const NOW = Date.UTC(2026, 10, 27, 9, 17)
const USERS = ['ada@example.com', 'ben@example.com', 'cleo@example.com', 'dora@example.com']

const hours = (from: number, until: number) => ({
  ...{
    startHour: Math.floor(from / 60),
    startMin: from % 60,
    endHour: Math.floor(until / 60) % 24,
    endMin: until % 60,
  },
})

/** A restriction by time of day. */
function byTime(from: number, until: number) {
  const minutes = (until - from + 1_440) % 1_440 || 1_440
  return {
    parts: WEEKDAYS.map((_, day): Part => [day * 1_440 + from, minutes]),
    timeRestriction: { type: 'time-of-day', restriction: hours(from, until) },
  }
}

/** A restriction by weekdays: from a day and minute to a day and minute. */
function byWeekday(...given: readonly (readonly [day: number, from: number, lastDay: number, until: number])[]) {
  return {
    parts: given.map(([day, from, last, until]): Part => {
      const minutes = (last - day) * 1_440 + until - from
      return [day * 1_440 + from, minutes > 0 ? minutes : minutes + 7 * 1_440]
    }),
    timeRestriction: {
      type: 'weekday-and-time-of-day',
      restrictions: given.map(([day, from, last, until]) => {
        return { startDay: WEEKDAYS[day], endDay: WEEKDAYS[last], ...hours(from, until) }
      }),
    },
  }
}

/** Returns an export of schedules by its number, and who has each minute of each rotation. */
export function opsgenieExport(seed: number) {
  const random = randomFrom(seed)
  const below = (count: number) => Math.floor(random() * count)
  const users = () => Array.from({ length: 2 + below(3) }, (): string | undefined => USERS[below(4)])
  const [zone, forward, back] = ZONES[seed % ZONES.length] ?? ZONES[0]
  const spans = [
    [NOW, NOW + 90 * DAY],
    ...[forward, back].map((day) => [Date.parse(`${day}T00:00:00Z`), Date.parse(`${day}T00:00:00Z`) + WEEK]),
  ] as [number, number][]
  let ids = 0
  const rotation = (name: string, given: Partial<Rotation>): Rotation => ({
    ...{ id: `rotation-${seed}-${ids++}`, name, type: (['daily', 'weekly'] as const)[below(2)] ?? 'daily' },
    start: Date.UTC(2026, 8, 1 + below(28), below(24), 30 * below(2)),
    ...{ length: 1 + below(3), users: users(), parts: [] },
    ...given,
  })
  const nine = 60 * (6 + below(5)) + 30 * below(2)
  const five = nine + 60 * (8 + below(3))
  const workdays = [0, 1, 2, 3, 4]
  const schedules: Schedule[] = [
    {
      ...{ name: 'Follow the Sun', zone, overrides: overridesOf([`rotation-${seed}-0`]) },
      rotations: [
        rotation('days', byTime(nine, five)),
        rotation('nights', { ...byTime(five, nine), users: [...users(), undefined] }),
      ],
    },
    {
      ...{ name: 'Büro', zone, overrides: overridesOf([]) },
      rotations: [
        rotation('office', byWeekday(...workdays.map((day) => [day, nine, day, five] as const))),
        rotation('evenings', byWeekday(...workdays.slice(0, 4).map((day) => [day, five, day + 1, nine] as const))),
        rotation('weekends', { ...byWeekday([4, five, 0, nine]), type: 'weekly' }),
        rotation('shadow', { length: 1 + below(2), end: Date.UTC(2027, 0, 1 + below(28), 8) }),
      ],
    },
    {
      ...{ name: 'hours', zone: 'UTC', overrides: [] },
      rotations: [rotation('every', { type: 'hourly', length: 1 + below(30) })],
    },
  ]
  function overridesOf(rotations: readonly string[]): Override[] {
    const from = NOW - (NOW % (30 * MINUTE)) + below(80 * 48) * 30 * MINUTE
    return [{ user: USERS[below(4)] ?? '', from, until: from + (1 + below(100)) * 30 * MINUTE, rotations }]
  }
  return { schedules, spans, rendered: schedules.map((each) => spans.map((span) => renderedOf(each, span))) }
}
type Generated = ReturnType<typeof opsgenieExport>

function at(overrides: readonly Override[], instant: number): Override | undefined {
  for (const each of overrides) if (each.from <= instant && instant < each.until) return each
  return undefined
}

/** Walks the minutes of a span. Returns who has each one, by rotation. */
function renderedOf({ zone, rotations, overrides }: Schedule, [from, until]: readonly [number, number]) {
  const walked = rotations.map((rotation) => {
    const own = overrides.filter((each) => each.rotations.includes(rotation.id))
    const minutes: Minutes = []
    return { ...rotation, own, minutes, isIn: inWeek(rotation.parts), turnMs: UNIT[rotation.type] * rotation.length }
  })
  const ofAll = overrides.filter((each) => each.rotations.length === 0)
  for (const [instant, reached] of minutesOf(zone, from, until))
    for (const { start, end, turnMs, users, own, minutes, isIn } of walked) {
      const isOn = reached >= start && (end === undefined || reached < end) && isIn(reached)
      const override = (isOn && at(own, instant)) || at(ofAll, instant)
      const turn = Math.floor((reached - start) / turnMs)
      minutes.push(override ? override.user : isOn ? users[turn % users.length] : undefined)
    }
  return new Map(walked.map(({ id, minutes }) => [id, minutes]))
}

/** Returns the export as the API answers. `instantOf` gives the first instant of a local time. */
export function asAnswered({ schedules, spans, rendered }: Generated) {
  return {
    users: USERS.map((username, nth) => ({
      id: `user-${nth}`,
      username,
      fullName: username.slice(0, 3).toUpperCase(),
    })),
    escalations: [],
    schedules: schedules.map(({ name, zone, rotations, overrides }, nth) => ({
      ...{ id: `schedule-${nth}`, name, timezone: zone, enabled: true },
      rotations: rotations.map(({ id, name, start, end, type, length, users, timeRestriction }) => ({
        ...{ id, name, type, length, startDate: iso(instantOf(zone, start)) },
        ...(end !== undefined && { endDate: iso(instantOf(zone, end)) }),
        participants: users.map((username) =>
          username === undefined ? { type: 'none' } : { type: 'user', id: `user-${USERS.indexOf(username)}`, username },
        ),
        ...(timeRestriction && { timeRestriction }),
      })),
      overrides: overrides.map(({ user, from, until, rotations }) => ({
        ...{ alias: 'x', user: { type: 'user', username: user }, startDate: iso(from), endDate: iso(until) },
        ...(rotations.length > 0 && { rotations: rotations.map((id) => ({ id })) }),
      })),
      timelines: spans.map(([from, until], at) => ({
        ...{ startDate: iso(from), endDate: iso(until) },
        finalTimeline: {
          rotations: Array.from(rendered[nth]?.[at] ?? [], ([id, minutes]) => ({
            id,
            periods: stretches(minutes, from).map(({ from, until, who }) => ({
              ...{ startDate: iso(from), endDate: iso(until), type: 'default' },
              recipient: { type: 'user', name: who },
            })),
          })),
        },
      })),
    })),
  }
}

function instantOf(zone: string, local: number): number {
  for (const [instant, reached] of minutesOf(zone, local - DAY, local + DAY)) if (reached >= local) return instant
  throw new Error('no instant')
}
