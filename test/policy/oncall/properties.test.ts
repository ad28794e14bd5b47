import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ZoneClock } from '../../../src/policy/oncall/edge.ts'
import { compileSchedule, onCallAt, shifts } from '../../../src/policy/oncall/schedule.ts'
import { DAY_MS, HOUR_MS, type OncallLayer, WEEK_MS } from '../../../src/policy/oncall/settings.ts'
import { layer, local, override, schedule } from './setup.ts'

const ZONES = ['Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'Antarctica/Troll', 'America/Santiago', 'UTC']
const FROM = Date.UTC(2026, 8, 1)

const members = fc.array(fc.constantFrom('ada', 'ben', 'cleo', 'nobody'), { minLength: 1, maxLength: 4 })
const window = fc
  .tuple(fc.integer({ min: 0, max: 335 }), fc.integer({ min: 1, max: 200 }))
  .map(([from, long]) => ({ from: (from * HOUR_MS) / 2, until: ((from + long) * HOUR_MS) / 2 }))
const every = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  unit: fc.constantFrom('hour', 'day', 'week', 'month'),
})
const start = fc.integer({ min: 0, max: 24 * 14 }).map((hour) => new Date(local('2026-08-20') + hour * HOUR_MS))
const someLayer = fc
  .record({
    ...{ start, every, members, on: fc.array(window, { maxLength: 3 }) },
    turns: fc.constantFrom('calendar', 'on_duty'),
  })
  .map(({ start, ...given }) => layer({ ...given, start: start.toISOString().slice(0, 16) }))
const cover = fc
  .record({
    from: fc.integer({ min: 0, max: 60 * 24 }),
    hours: fc.integer({ min: 1, max: 400 }),
    person: fc.constantFrom('ada', 'dora', 'nobody'),
    insteadOf: fc.option(fc.constantFrom('ada', 'ben'), { nil: undefined }),
  })
  .map(({ from, hours, person, insteadOf }) => {
    const [at, end] = [from, from + hours].map((hour) => new Date(FROM + hour * HOUR_MS).toISOString().slice(0, 16))
    return override(at ?? '', end ?? '', { person, ...(insteadOf && { insteadOf }) })
  })
const someSchedule = fc
  .record({
    timeZone: fc.constantFrom(...ZONES),
    layers: fc.array(someLayer, { minLength: 1, maxLength: 3 }),
    overrides: fc.array(cover, { maxLength: 3 }),
  })
  .map((given) => schedule(given))
const span = { from: FROM, until: FROM + 70 * DAY_MS }
const instants = fc.integer({ min: span.from, max: span.until - 1 })
const holds = (property: fc.IProperty<never> | object) => fc.assert(property as fc.IProperty<unknown>, { numRuns: 60 })

test('shifts fill the span without overlap, and a search finds each', () => {
  holds(
    fc.property(someSchedule, (settings) => {
      const compiled = compileSchedule(settings, span)
      const found = shifts(compiled, span.from, span.until)
      assert.ok((found[0]?.from ?? 0) <= span.from && (found.at(-1)?.until ?? 0) >= span.until)
      for (const [at, shift] of found.entries()) {
        assert.ok(shift.from < shift.until)
        if (at > 0) assert.equal(shift.from, found[at - 1]?.until)
        assert.equal(onCallAt(compiled, Math.max(shift.from, span.from)), shift)
        assert.equal(onCallAt(compiled, Math.min(shift.until, span.until) - 1), shift)
      }
    }),
  )
})

test('the shift of an instant is the same in every span that holds it', () => {
  holds(
    fc.property(someSchedule, instants, fc.integer({ min: 1, max: 90 * 24 }), (settings, instant, hours) => {
      const narrow = compileSchedule(settings, { from: instant, until: instant + 1 })
      const other = compileSchedule(settings, { from: instant - hours * HOUR_MS, until: instant + hours * 60_000 })
      assert.deepEqual(onCallAt(narrow, instant), onCallAt(other, instant))
    }),
  )
})

test('a later edition changes nothing before its first handover, so neither the past nor the shift that runs', () => {
  holds(
    fc.property(someSchedule, members, fc.integer({ min: 1, max: 60 }), (settings, later, day) => {
      const date = FROM + day * DAY_MS
      const edited = settings.layers.map(
        (each): OncallLayer => ({
          ...each,
          editions: [...each.editions, { date, members: later }],
        }),
      )
      const changed = { from: span.from, until: new ZoneClock(settings.timeZone).instantOf(date) }
      const people = (layers: readonly OncallLayer[]) => {
        const compiled = compileSchedule({ ...settings, layers }, changed)
        return compiled.shifts.map(({ from, person }) => [Math.max(from, changed.from), person ?? null])
      }
      assert.deepEqual(people(edited), people(settings.layers))
    }),
  )
})

test('an override decides its minutes and no other', () => {
  holds(
    fc.property(someSchedule, cover, instants, (settings, each, instant) => {
      const clock = new ZoneClock(settings.timeZone)
      const inside = clock.instantOf(each.from) <= instant && instant < clock.instantOf(each.until)
      const [before, after] = [settings.overrides, [...settings.overrides, each]].map(
        (overrides) =>
          onCallAt(compileSchedule({ ...settings, overrides }, { from: instant, until: instant + 1 }), instant).person,
      )
      const covers = inside && (each.insteadOf === undefined || each.insteadOf === before)
      assert.equal(after, covers ? (each.person === 'nobody' ? undefined : each.person) : before)
    }),
  )
})

test('windows that fit together locally have one edge in every zone', () => {
  for (const timeZone of Intl.supportedValuesOf('timeZone').filter((_, at) => at % 7 === 0)) {
    const day = { from: 2.5 * HOUR_MS, until: 14 * HOUR_MS }
    const days = Array.from({ length: 7 }, (_, nth) => ({
      from: day.from + nth * DAY_MS,
      until: day.until + nth * DAY_MS,
    }))
    const nights = days.map(({ from, until }) => ({ from: until, until: from + DAY_MS }))
    const given = { start: '2026-01-05', every: { count: 1, unit: 'week' } as const }
    const layers = [layer({ ...given, on: days, members: ['ada'] }), layer({ ...given, on: nights, members: ['ben'] })]
    const { shifts } = compileSchedule(schedule({ timeZone, layers }), { from: FROM, until: FROM + 52 * WEEK_MS })
    assert.deepEqual(
      shifts.filter(({ person }) => person === undefined),
      [],
      timeZone,
    )
  }
})
