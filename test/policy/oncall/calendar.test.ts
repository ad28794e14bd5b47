import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ApiOverride, openCalendar } from '../../../src/policy/oncall/calendar.ts'
import type { OncallSchedule } from '../../../src/policy/oncall/settings.ts'
import { instant, layer, override, schedule } from './setup.ts'

const at = (written: string) => instant(written, 'Europe/Berlin')
const utc = (ms: number | undefined) => ms && (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 16) : `${ms}`)

function made(from: string, until: string, given: Partial<ApiOverride> = {}): ApiOverride {
  return { id: 1, schedule: 'primary', person: 'cleo', by: '', reason: '', from: at(from), until: at(until), ...given }
}

const opened = (overrides: readonly ApiOverride[] = [], given?: OncallSchedule) =>
  openCalendar(new Map([['primary', given ?? schedule()]]), () => overrides)

/** Returns `from until person because` of each shift. */
const lines = (calendar: ReturnType<typeof opened>, from: string, until: string) =>
  calendar
    .shifts('primary', at(from), at(until))
    .map((shift) => [utc(shift.from), utc(shift.until), shift.person ?? '-', shift.because].join(' '))

describe('the calendar of a schedule', () => {
  it('names the person, the edges and the reason at an instant', () => {
    assert.deepEqual(opened().shiftAt('primary', at('2026-01-06T00:00')), {
      ...{ from: at('2026-01-05T09:00'), until: at('2026-01-12T09:00'), person: 'ada', because: 'layer weeks' },
    })
    assert.equal(opened().shiftAt('other', at('2026-01-06T00:00')), undefined)
    assert.deepEqual(opened().shifts('other', 0, 1), [])
  })

  it('has overrides of clients above those of the file, and of two the one with the later number', () => {
    const days = schedule({
      overrides: [override('2026-01-06T00:00', '2026-01-08T00:00', { person: 'dora', by: 'Ben' })],
    })
    const overrides = [
      made('2026-01-07T12:00', '2026-01-07T18:00', { id: 8, person: 'nobody' }),
      made('2026-01-07T00:00', '2026-01-09T00:00', { id: 7, by: 'Ada', reason: 'dentist' }),
    ]
    assert.deepEqual(lines(opened(overrides, days), '2026-01-06T00:00', '2026-01-09T09:00'), [
      '2026-01-05T23:00 2026-01-06T23:00 dora override 1 of the file by Ben',
      '2026-01-06T23:00 2026-01-07T11:00 cleo override 7 by Ada: dentist',
      '2026-01-07T11:00 2026-01-07T17:00 - override 8',
      '2026-01-07T17:00 2026-01-08T23:00 cleo override 7 by Ada: dentist',
      '2026-01-08T23:00 2026-01-12T08:00 ada layer weeks',
    ])
  })

  it('covers only what would be the person that an override names', () => {
    const overrides = [made('2026-01-11T00:00', '2026-01-20T00:00', { insteadOf: 'ada', id: 3 })]
    assert.deepEqual(lines(opened(overrides), '2026-01-11T00:00', '2026-01-20T00:00'), [
      '2026-01-10T23:00 2026-01-12T08:00 cleo override 3',
      '2026-01-12T08:00 2026-01-19T08:00 ben layer weeks',
      '2026-01-19T08:00 2026-01-19T23:00 cleo override 3',
    ])
  })

  it('does not apply an override to another schedule', () => {
    const overrides = [made('2026-01-06T00:00', '2026-01-07T00:00', { schedule: 'lead' })]
    assert.equal(opened(overrides).shiftAt('primary', at('2026-01-06T12:00'))?.person, 'ada')
  })

  it('follows overrides that are made and ended while a shift runs', () => {
    let overrides: readonly ApiOverride[] = []
    const calendar = openCalendar(new Map([['primary', schedule()]]), () => overrides)
    const now = at('2026-01-06T12:00')
    assert.equal(calendar.shiftAt('primary', now)?.person, 'ada')
    overrides = [made('2026-01-06T00:00', '2026-01-07T00:00')]
    assert.equal(calendar.shiftAt('primary', now)?.person, 'cleo')
    overrides = []
    assert.equal(calendar.shiftAt('primary', now)?.person, 'ada')
  })

  it('says when somebody is on call after a gap, however far', () => {
    const days = schedule({ layers: [layer({ on: [{ from: 9 * 3_600_000, until: 10 * 3_600_000 }] })] })
    const gap = opened([], days).shiftAt('primary', at('2026-01-06T00:00'))
    assert.deepEqual([gap?.person, gap?.because, utc(gap?.next)], [undefined, 'gap', '2026-01-12T08:00'])
    const later = schedule({ layers: [layer({ start: '2026-06-01T09:00' })] })
    const long = opened([], later)
    for (const _ of [1, 2]) assert.equal(utc(long.shiftAt('primary', at('2026-01-06T00:00'))?.next), '2026-06-01T07:00')
  })

  it('has no next shift where nobody is on call for good', () => {
    const over = schedule({ layers: [layer({ until: '2026-02-01T00:00' })] })
    const gap = opened([], over).shiftAt('primary', at('2026-03-01T00:00'))
    assert.deepEqual([gap?.next, gap?.until], [undefined, Number.POSITIVE_INFINITY])
  })

  it('answers the same at each instant, whatever was asked before', () => {
    const overrides = [made('2026-02-01T00:00', '2026-03-20T00:00', { insteadOf: 'ben' })]
    const calendar = opened(overrides)
    for (let hour = 0; hour < 24 * 120; hour += 7) {
      const now = at('2026-01-05T09:00') + hour * 3_600_000
      const { person, from, until } = opened(overrides).shiftAt('primary', now) ?? {}
      const again = calendar.shiftAt('primary', now)
      assert.deepEqual([again?.person, again?.from, again?.until], [person, from, until])
      const [listed] = calendar.shifts('primary', now, now + 1)
      assert.deepEqual([listed?.person, listed?.from, listed?.until], [person, from, until])
    }
  })
})
