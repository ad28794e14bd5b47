import { randomFrom } from '../../harness/random.ts'
import { DAY, inWeek, iso, MINUTE, type Minutes, minutesOf, type Part, shownIn, stretches, WEEK } from './minutes.ts'

/** A layer of the test; times are instants. */
interface Layer {
  readonly name: string
  readonly start: number
  readonly end?: number
  readonly virtualStart: number
  readonly seconds: number
  readonly users: readonly string[]
  readonly restrictions: readonly (readonly [day: number | undefined, from: number, minutes: number])[]
}
interface Schedule {
  readonly name: string
  readonly zone: string
  /** As they are shown: the last one decides. */
  readonly layers: readonly Layer[]
  readonly overrides: readonly { readonly user: string; readonly from: number; readonly until: number }[]
}

const ZONES = [
  ['America/Los_Angeles', '2027-03-11', '2027-11-04'],
  ['Europe/Paris', '2027-03-25', '2027-10-28'],
  ['Africa/Cairo', '2027-04-28', '2027-10-27'],
  ['Australia/Lord_Howe', '2027-09-30', '2027-04-01'],
] as const
const NOW = Date.UTC(2026, 10, 27, 9, 17, 42)
const USERS = ['PADA', 'PBEN', 'PCLEO', 'PDORA']
const HOURS = 3_600

/** Returns schedules by the number of the export, and who has each minute. */
export function pagerdutyExport(seed: number) {
  const random = randomFrom(seed + 77)
  const below = (count: number) => Math.floor(random() * count)
  const users = (count = 1 + below(4)) => Array.from({ length: count }, () => USERS[below(4)] ?? '')
  const [zone, forward, back] = ZONES[seed % ZONES.length] ?? ZONES[0]
  const spans = [NOW, Date.parse(`${forward}T00:00:00Z`), Date.parse(`${back}T00:00:00Z`)].map(
    (from, nth) => [from, from + (nth === 0 ? 90 * DAY : WEEK)] as const,
  )
  const start = Date.UTC(2026, 7, 1 + below(28), below(24), below(60), below(60))
  const virtualStart = Date.UTC(2026, 6, 1 + below(60), below(24), 15 * below(4))
  const layer = (name: string, given: Partial<Layer>): Layer => ({
    ...{ name, start, virtualStart, users: users(), restrictions: [] },
    seconds: [7 * 24 * HOURS, 14 * 24 * HOURS, 24 * HOURS, 3 * 24 * HOURS][below(4)] ?? 0,
    ...given,
  })
  const morning = 60 * (6 + below(5))
  const later = NOW - (NOW % MINUTE) + below(30 * 24 * 60) * MINUTE
  const from = NOW + below(80 * 24 * 60) * MINUTE
  const schedules: Schedule[] = [
    {
      ...{ name: 'Primary', zone },
      layers: [
        layer('ended', { end: NOW - DAY }),
        layer('base', {}),
        layer('office', { restrictions: [0, 1, 2, 3, 4].map((day) => [day, morning, 8 * 60]), seconds: 12 * HOURS }),
        layer('weekends', { restrictions: [[4, 20 * 60, 2 * 1_440 + 600]], start: later }),
      ],
      overrides: [{ user: USERS[below(4)] ?? '', from, until: from + (1 + below(3_000)) * MINUTE }],
    },
    {
      ...{ name: 'Nights', zone, overrides: [] },
      layers: [
        layer('nights', { restrictions: [[undefined, 21 * 60, 9 * 60]], end: NOW + 60 * DAY, seconds: 24 * HOURS }),
        layer('new', { start: later, virtualStart: later + 5 * DAY, seconds: (1 + below(20)) * HOURS }),
      ],
    },
  ]
  return { schedules, spans, rendered: schedules.map((each) => spans.map((span) => renderedOf(each, span))) }
}
type Generated = ReturnType<typeof pagerdutyExport>

/** Walks the minutes of a span: a minute is what its beginning is. */
function renderedOf({ zone, layers, overrides }: Schedule, [from, until]: readonly [number, number]): Minutes {
  const shown = shownIn(zone)
  const walked = layers.toReversed().map((layer) => {
    const days = layer.restrictions.flatMap(([day, from, minutes]): Part[] =>
      day === undefined
        ? [0, 1, 2, 3, 4, 5, 6].map((each) => [each * 1_440 + from, minutes])
        : [[day * 1_440 + from, minutes]],
    )
    return { ...layer, isIn: inWeek(days), first: shown(layer.virtualStart) }
  })
  const minutes: Minutes = []
  for (const [instant, reached] of minutesOf(zone, Math.ceil(from / MINUTE) * MINUTE, until)) {
    let who: string | undefined
    for (const each of overrides) if (each.from <= instant && instant < each.until) who = each.user
    for (const { start, end, first, seconds, users, isIn } of walked) {
      if (who !== undefined) break
      if (instant < start || (end !== undefined && instant >= end) || !isIn(reached)) continue
      const turn = Math.floor((reached - first) / (seconds * 1_000))
      who = users[((turn % users.length) + users.length) % users.length]
    }
    minutes.push(who)
  }
  return minutes
}

const user = (id: string) => ({ id, type: 'user_reference', summary: id.slice(1) })

/** Returns the export as the API answers; it lists the layer first that decides, or as they are shown. */
export function asAnswered({ schedules, spans, rendered }: Generated, order: 'deciding first' | 'as shown') {
  return {
    users: USERS.map((id) => ({
      id,
      name: id.slice(1),
      email: `${id.slice(1).toLowerCase()}@example.com`,
      time_zone: 'UTC',
    })),
    escalation_policies: [],
    schedules: schedules.map(({ name, zone, layers, overrides }, nth) => ({
      ...{ id: `S${nth}`, name, time_zone: zone },
      schedule_layers: (order === 'as shown' ? layers : layers.toReversed()).map((layer) => ({
        ...{ name: layer.name, start: iso(layer.start), end: layer.end === undefined ? null : iso(layer.end) },
        rotation_virtual_start: iso(layer.virtualStart),
        rotation_turn_length_seconds: layer.seconds,
        users: layer.users.map((id) => ({ user: user(id) })),
        restrictions: layer.restrictions.map(([day, from, minutes]) => ({
          type: day === undefined ? 'daily_restriction' : 'weekly_restriction',
          ...(day !== undefined && { start_day_of_week: day + 1 }),
          start_time_of_day: `${iso(from * MINUTE).slice(11, 16)}:00`,
          duration_seconds: minutes * 60,
        })),
      })),
      overrides: overrides.map((each) => ({ start: iso(each.from), end: iso(each.until), user: user(each.user) })),
      rendered: spans.map(([from, until], at) => ({
        ...{ since: iso(from), until: iso(until) },
        final_schedule: {
          rendered_schedule_entries: stretches(rendered[nth]?.[at] ?? [], Math.ceil(from / MINUTE) * MINUTE).map(
            (each) => ({ start: iso(each.from), end: iso(each.until), user: user(each.who) }),
          ),
        },
      })),
    })),
  }
}
