import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compileSchedule, onCallAt, type Shift, shifts, uncovered } from '../../../src/policy/oncall/schedule.ts'
import { DAY_MS, HOUR_MS, type OncallLayer } from '../../../src/policy/oncall/settings.ts'
import { instant, layer, local, override, schedule } from './setup.ts'

const BERLIN = 'Europe/Berlin'

/** Returns the shifts of a layer from one local time to another. */
function shiftsOf(
  given: OncallLayer | readonly OncallLayer[],
  [from, until]: readonly [string, string],
  zone = BERLIN,
) {
  const layers = Array.isArray(given) ? given : [given]
  const span = { from: instant(from, zone), until: instant(until, zone) }
  return shifts(
    compileSchedule(schedule({ timeZone: zone, layers: layers as OncallLayer[] }), span),
    span.from,
    span.until,
  )
}
const hours = (found: readonly Shift[]) => found.map(({ from, until }) => (until - from) / HOUR_MS)
const people = (found: readonly Shift[]) => found.map(({ person }) => person ?? '-')
const utc = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const daily = { count: 1, unit: 'day' } as const

describe('an edge on the day of a change of clocks', () => {
  it('makes a daily turn of 23 hours in spring, and of 25 in autumn', () => {
    const days = layer({ every: daily })
    assert.deepEqual(hours(shiftsOf(days, ['2027-03-26T09:00', '2027-03-29T09:00'])), [24, 23, 24])
    assert.deepEqual(hours(shiftsOf(days, ['2026-10-23T09:00', '2026-10-26T09:00'])), [24, 25, 24])
  })

  it('makes nights of 11 and 13 hours', () => {
    const nights = layer({ on: Array.from({ length: 7 }, (_, day) => night(day)) })
    const ofPeople = (found: readonly Shift[]) => hours(found.filter(({ person }) => person !== undefined))
    assert.deepEqual(ofPeople(shiftsOf(nights, ['2027-03-27T12:00', '2027-03-28T12:00'])), [11])
    assert.deepEqual(ofPeople(shiftsOf(nights, ['2026-10-24T12:00', '2026-10-25T12:00'])), [13])
  })

  it('leaves out the turn of a skipped hour, which is used up, and makes that of a repeated hour last two', () => {
    const each = layer({
      start: '2026-01-05T00:00',
      every: { count: 1, unit: 'hour' },
      members: ['ada', 'ben', 'cleo'],
    })
    const spring = shiftsOf(each, ['2027-03-28T01:00', '2027-03-28T04:00'])
    assert.deepEqual(
      [hours(spring), people(spring)],
      [
        [1, 1],
        ['ben', 'ada'],
      ],
    )
    assert.deepEqual(hours(shiftsOf(each, ['2026-10-25T01:00', '2026-10-25T04:00'])), [1, 2, 1])
  })

  it('is at the end of a skipped hour, and in the first pass of a repeated one', () => {
    assert.equal(utc(instant('2027-03-28T02:30', BERLIN)), '2027-03-28T01:00')
    assert.equal(utc(instant('2026-10-25T02:30', BERLIN)), '2026-10-25T00:30')
    assert.equal(utc(instant('2027-04-30T00:00', 'Africa/Cairo')), '2027-04-29T22:00')
    assert.equal(utc(instant('2011-12-30T12:00', 'Pacific/Apia')), '2011-12-30T10:00')
  })
})
const night = (day: number) => ({ from: day * DAY_MS + 20 * HOUR_MS, until: (day + 1) * DAY_MS + 8 * HOUR_MS })

describe('months', () => {
  const starts = (start: string, count: number, span: readonly [string, string]) =>
    shiftsOf(layer({ start, every: { count, unit: 'month' } }), span, 'UTC').map(({ from }) => utc(from).slice(0, 10))

  it('count from the start, cut to the last day of the month', () => {
    assert.deepEqual(starts('2026-01-31', 1, ['2026-01-31', '2026-06-01']), [
      ...['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31'],
    ])
    assert.deepEqual(starts('2028-01-31', 1, ['2028-02-29', '2028-03-01']), ['2028-02-29'])
    assert.deepEqual(starts('2028-02-29', 12, ['2028-02-29', '2032-03-01']), [
      ...['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29'],
    ])
  })
})

describe('turns', () => {
  const workdays = Array.from({ length: 5 }, (_, day) => ({ from: day * DAY_MS, until: (day + 1) * DAY_MS }))
  const given = { start: '2026-01-05', every: daily, on: workdays, members: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }
  const week = (turns: 'calendar' | 'on_duty') =>
    people(shiftsOf(layer({ ...given, turns }), ['2026-01-12', '2026-01-17'], 'UTC'))

  it('of the calendar give the same people the weekends, always', () => {
    assert.deepEqual(week('calendar'), ['a', 'b', 'c', 'd', 'e'])
  })
  it('on duty pass over days without a minute', () => {
    assert.deepEqual(week('on_duty'), ['f', 'g', 'a', 'b', 'c'])
  })
})

describe('layers', () => {
  const weeks = layer({ start: '2026-01-05', members: ['ada'] })
  const span = ['2026-01-12', '2026-01-19'] as const

  it('give what they leave open to those below', () => {
    const nights = layer({ name: 'nights', start: '2026-01-05', on: [night(2)], members: ['ben'] })
    assert.deepEqual(people(shiftsOf([nights, weeks], span)), ['ada', 'ben', 'ada'])
  })

  it('leave the turn of nobody to those below', () => {
    const days = layer({ start: '2026-01-05', every: { count: 4, unit: 'day' }, members: ['nobody', 'ben'] })
    assert.deepEqual(people(shiftsOf([days, weeks], span)), ['ben', 'ada', 'ben'])
    assert.deepEqual(people(shiftsOf(days, span)), ['ben', '-', 'ben'])
  })

  it('have a person from their start until their end', () => {
    const found = shiftsOf(layer({ start: '2026-01-13T09:00', until: '2026-01-15T12:00' }), span, 'UTC')
    assert.deepEqual(people(found), ['-', 'ada', '-'])
    assert.deepEqual([found[0]?.from, found[2]?.until], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
    assert.equal(utc(found[1]?.until ?? 0), '2026-01-15T12:00')
  })
})

describe('an edition', () => {
  const before = { date: local('2026-01-05'), members: ['ada', 'ben'] }
  const weeks = (date: string) => layer({ editions: [before, { date: local(date), members: ['cleo', 'ada', 'ben'] }] })
  const span = ['2026-01-12T09:00', '2026-02-02T09:00'] as const

  it('counts from the first handover on or after its date, and begins with its first member', () => {
    assert.deepEqual(people(shiftsOf(weeks('2026-01-19'), span)), ['ben', 'cleo', 'ada'])
    assert.deepEqual(people(shiftsOf(weeks('2026-01-20'), span)), ['ben', 'ada', 'cleo'])
  })
})

describe('an override', () => {
  const span = { from: instant('2026-01-05T09:00', BERLIN), until: instant('2026-01-08T09:00', BERLIN) }
  const days = layer({ every: daily })
  const withOverrides = (...overrides: ReturnType<typeof override>[]) =>
    compileSchedule(schedule({ layers: [days], overrides }), span).shifts

  it('decides its minutes and no other', () => {
    const found = withOverrides(override('2026-01-05T12:00', '2026-01-07T12:00', { person: 'cleo' }))
    assert.deepEqual(
      [people(found), hours(found)],
      [
        ['ada', 'cleo', 'ada'],
        [3, 48, 21],
      ],
    )
    assert.deepEqual(found[1]?.because, { kind: 'override', id: '1' })
  })

  it('instead of a person covers only the minutes of that person, and the shifts keep their edges', () => {
    const found = withOverrides(override('2026-01-05T12:00', '2026-01-07T12:00', { person: 'cleo', insteadOf: 'ada' }))
    assert.deepEqual(
      [people(found), hours(found)],
      [
        ['ada', 'cleo', 'ben', 'cleo', 'ada'],
        [3, 21, 24, 3, 21],
      ],
    )
  })

  it('of nobody makes a gap, and the later of two wins', () => {
    const overrides = [
      override('2026-01-05T12:00', '2026-01-05T18:00', { person: 'cleo' }),
      override('2026-01-05T15:00', '2026-01-05T20:00', { person: 'nobody', id: '2' }),
    ]
    const found = withOverrides(...overrides)
    assert.deepEqual(people(found), ['ada', 'cleo', '-', 'ada', 'ben', 'ada'])
    const compiled = compileSchedule(schedule({ layers: [days], overrides }), span)
    assert.deepEqual(
      uncovered(compiled).map(({ from, until }) => [utc(from), utc(until)]),
      [['2026-01-05T14:00', '2026-01-05T19:00']],
    )
  })
})

it('an instant outside the compiled span is an error', () => {
  const compiled = compileSchedule(schedule(), { from: 1_780_000_000_000, until: 1_780_000_060_000 })
  assert.equal(onCallAt(compiled, 1_780_000_000_000).person, 'ada')
  for (const outside of [1_779_999_999_999, 1_780_000_060_000])
    assert.throws(() => onCallAt(compiled, outside), RangeError)
})
