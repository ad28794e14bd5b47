import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createShown } from '../../../src/policy/oncall/edge.ts'
import type { OncallPerson, Quiet, Way } from '../../../src/policy/oncall/escalation.ts'
import { DAY_MS } from '../../../src/policy/oncall/settings.ts'
import { isQuietUntil, pagesOf } from '../../../src/policy/oncall/ways.ts'
import { CRITICAL, HIGH, MINUTE_MS, WARNING } from './run-setup.ts'
import { instant } from './setup.ts'

const way = (after: number): Way => ({
  ...{ kind: 'channel', channel: 'chatws', target: 'person:ada:1' },
  afterMs: after * MINUTE_MS,
})
const NIGHT: Quiet = { from: 22 * 60, until: 7 * 60, belowRank: HIGH }

const person = (given: Partial<OncallPerson> = {}): OncallPerson => ({
  ...{ name: 'Ada', timeZone: 'Europe/Berlin', quiet: NIGHT, ways: [way(0), way(2), way(5)] },
  ...given,
})
const berlin = (written: string) => instant(written, 'Europe/Berlin')
const dueOf = (of: OncallPerson, written: string, level = WARNING) =>
  pagesOf(of, { now: berlin(written), level }).map(({ dueAt }) => (dueAt - berlin(written)) / MINUTE_MS)

test('each way has a page, after its own time', () => {
  assert.deepEqual(dueOf(person(), '2026-11-27T12:00'), [0, 2, 5])
})

test('what is not loud waits for the end of quiet hours, and the ways keep their order', () => {
  assert.deepEqual(dueOf(person(), '2026-11-27T23:00'), [480, 482, 485])
  assert.deepEqual(dueOf(person(), '2026-11-27T06:59'), [1, 3, 6])
  assert.deepEqual(dueOf(person(), '2026-11-27T07:00'), [0, 2, 5])
  assert.deepEqual(dueOf(person(), '2026-11-27T23:00', HIGH), [0, 2, 5])
  assert.deepEqual(dueOf(person(), '2026-11-27T23:00', CRITICAL), [0, 2, 5])
})

test('a way that would be due in quiet hours waits alone', () => {
  assert.deepEqual(dueOf(person(), '2026-11-27T21:57'), [0, 2, 543])
  const [now, later] = pagesOf(person({ ways: [way(0), way(60)] }), { now: berlin('2026-11-27T21:30'), level: WARNING })
  assert.equal(now?.quietUntil, undefined)
  assert.equal(later?.quietUntil, berlin('2026-11-28T07:00'))
})

test('quiet hours are those of the clock of the person: a night of both changes is an hour shorter or longer', () => {
  const hours = (from: string) => {
    const until = isQuietUntil(person(), { now: berlin(from), level: WARNING })
    return until === undefined ? undefined : (until - berlin(from)) / 3_600_000
  }
  assert.deepEqual([hours('2027-03-27T22:00'), hours('2026-10-24T22:00')], [8, 10])
  assert.deepEqual([hours('2027-03-28T06:30'), hours('2026-10-25T06:30')], [0.5, 0.5])
  assert.deepEqual([hours('2027-03-28T07:00'), hours('2026-10-25T07:00')], [undefined, undefined])
  const elsewhere = person({ timeZone: 'America/New_York' })
  assert.equal(isQuietUntil(elsewhere, { now: berlin('2026-11-27T23:00'), level: WARNING }), undefined)
})

test('an end in a skipped hour is the end of that hour, and in a repeated hour the first pass', () => {
  const until = (quiet: Quiet, now: number) => isQuietUntil(person({ quiet }), { now, level: WARNING })
  const early = { ...NIGHT, until: 2 * 60 + 30 }
  assert.equal(until(early, berlin('2027-03-28T01:00')), Date.parse('2027-03-28T01:00:00Z'))
  assert.equal(until(early, berlin('2026-10-25T01:00')), Date.parse('2026-10-25T00:30:00Z'))
  assert.equal(until(early, Date.parse('2026-10-25T01:15:00Z')), undefined)
  const morning = { ...NIGHT, from: 2 * 60 + 15, until: 7 * 60 }
  assert.equal(until(morning, berlin('2027-03-28T01:59')), undefined)
  assert.equal(until(morning, berlin('2027-03-28T03:00')), berlin('2027-03-28T07:00'))
})

test('hours within a day, and without any', () => {
  const lunch = person({ quiet: { from: 12 * 60, until: 13 * 60, belowRank: CRITICAL } })
  assert.deepEqual(dueOf(lunch, '2026-11-27T12:15', HIGH), [45, 47, 50])
  const { quiet: _quiet, ...always } = person()
  assert.deepEqual(dueOf(always, '2026-11-27T23:00'), [0, 2, 5])
})

test('at every minute of both changes, quiet is where the largest time that clocks have shown lies in the hours', () => {
  const zones = ['Europe/Berlin', 'Africa/Cairo', 'Australia/Lord_Howe', 'America/Santiago', 'Antarctica/Troll']
  const minutes = fc.integer({ min: 0, max: 1_439 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), minutes, minutes, fc.nat(1), (timeZone, from, until, nth) => {
      if (from === until) return
      const shown = createShown(timeZone)
      const begin = changesOf(shown)[nth] ?? 0
      const of = person({ timeZone, quiet: { from, until, belowRank: HIGH } })
      let reached = -Infinity
      for (let now = begin - DAY_MS / 4; now < begin + DAY_MS; now += MINUTE_MS) {
        reached = Math.max(reached, shown(now))
        if (now < begin) continue
        const minute = (reached % DAY_MS) / MINUTE_MS
        const isQuiet = from < until ? from <= minute && minute < until : minute >= from || minute < until
        const end = isQuietUntil(of, { now, level: WARNING })
        assert.equal(end !== undefined, isQuiet, `${timeZone} ${new Date(now).toISOString()}`)
        if (end !== undefined) assert.ok(end > now && end - now <= 1.2 * DAY_MS)
      }
    }),
    { numRuns: 20 },
  )
})

/** Returns the days of the two changes of 2027 in a zone. */
function changesOf(shown: (instant: number) => number): number[] {
  const days = Array.from({ length: 365 }, (_, day) => Date.UTC(2027, 0, 1) + day * DAY_MS)
  return days.filter((at) => shown(at) - at !== shown(at + DAY_MS) - at - DAY_MS)
}
