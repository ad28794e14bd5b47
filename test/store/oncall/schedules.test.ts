import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { OncallSchedule } from '../../../src/policy/oncall/settings.ts'
import { openSchedules, type ScheduleRules, type Schedules } from '../../../src/store/oncall/schedules.ts'
import { instant, layer, schedule } from '../../policy/oncall/setup.ts'
import { StoreRig, withCode } from '../support.ts'
import { OncallRig, rulesOf as oncallRules } from './rig.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Weeks of ada and ben, from Mondays at 9. */
const MONDAY = instant('2030-01-07T09:00', 'Europe/Berlin')
const BY = { by: 'Ben', reason: 'dentist' }

function rulesOf(primary: OncallSchedule = schedule()): ScheduleRules {
  const people = new Map(['ada', 'ben', 'cleo'].map((key) => [key, { name: key }]))
  return { people, schedules: new Map([['primary', primary]]) }
}

class ScheduleRig extends StoreRig {
  constructor(t: TestContext, rules = rulesOf()) {
    super(t, { schedules: rules, openSchedules })
  }

  get port(): Schedules['port'] {
    assert.ok(this.store.schedules)
    return this.store.schedules
  }

  /** The service runs from one time to another, with a turn whenever one is due. */
  runUntil(instant: number): void {
    while (this.store.outbox.nextDueAt('any') <= instant) {
      this.now = Math.max(this.now, this.store.outbox.nextDueAt('any'))
      this.turn({})
    }
    this.now = instant
  }

  add(from: number, until: number, given: { person?: string; insteadOf?: string } = {}) {
    return this.port.addOverride({ schedule: 'primary', person: 'cleo', ...BY, from, until, ...given })
  }

  /** Returns days since the Monday, person and reason of each shift that is recorded or to come. */
  lines(from: number, until: number): string[] {
    return this.port
      .shifts('primary', { from, until })
      .map((shift) => [dayOf(shift.from), dayOf(shift.until), shift.person ?? '-', shift.because].join(' '))
  }
}

const dayOf = (instant: number) => Math.round(((instant - MONDAY) / DAY) * 100) / 100

function started(t: TestContext, at = MONDAY): ScheduleRig {
  const rig = new ScheduleRig(t)
  rig.now = at
  rig.reopen()
  return rig
}

it('the time of the last change grows with each override, also when the clock was set back', (t) => {
  const rig = started(t)
  const times = [rig.port.changedAt()]
  const { id } = rig.add(MONDAY + HOUR, MONDAY + 2 * HOUR)
  times.push(rig.port.changedAt())
  rig.now -= DAY
  rig.port.endOverride(id, 'Ada')
  times.push(rig.port.changedAt())
  assert.deepEqual(times, [MONDAY, MONDAY + 1_000, MONDAY + 2_000])
})

describe('the record of shifts', () => {
  it('has each handover of a running service once, at its time', (t) => {
    const rig = started(t)
    rig.runUntil(MONDAY + 15 * DAY)
    assert.deepEqual(rig.lines(MONDAY, rig.now), [
      '0 7 ben layer weeks',
      '7 14 ada layer weeks',
      '14 21 ben layer weeks',
    ])
  })

  it('costs no turn between handovers', (t) => {
    const rig = started(t)
    assert.equal(rig.store.outbox.nextDueAt('any'), MONDAY + 7 * DAY)
  })

  it('gets what a stop missed, marked', (t) => {
    const rig = started(t)
    rig.now = MONDAY + 15 * DAY
    rig.reopen()
    assert.deepEqual(rig.lines(MONDAY, rig.now), [
      '0 7 ben layer weeks',
      '7 14 ada layer weeks (written after a stop)',
      '14 21 ben layer weeks (written after a stop)',
    ])
  })

  it('is written in steps after a long stop', (t) => {
    const hourly = schedule({ layers: [layer({ every: { count: 1, unit: 'hour' } })] })
    const rig = started(t)
    rig.reopen({ schedules: rulesOf(hourly) })
    rig.now = MONDAY + 30 * DAY
    rig.reopen({ schedules: rulesOf(hourly) })
    assert.equal(rig.port.shifts('primary', { from: MONDAY, until: rig.now }).length, 257)
    for (let turns = 0; turns < 4; turns++) rig.turn({})
    const found = rig.port.shifts('primary', { from: MONDAY, until: rig.now })
    assert.equal(found.length, 30 * 24)
    assert.ok(found.slice(1).every((shift, at) => shift.from === found[at]?.until))
  })

  it('has one row for a handover to which the clock comes again', (t) => {
    const rig = started(t)
    rig.runUntil(MONDAY + 7 * DAY + HOUR)
    rig.now -= 2 * HOUR
    rig.turn({ clockJumpMs: -2 * HOUR })
    assert.equal(rig.port.now()[0]?.now.person, 'ben')
    rig.runUntil(MONDAY + 8 * DAY)
    assert.deepEqual(rig.lines(MONDAY, rig.now), ['0 7 ben layer weeks', '7 14 ada layer weeks'])
  })

  it('is not changed by a later edit of the file: that counts from its start', (t) => {
    const rig = started(t)
    rig.now = MONDAY + 9 * DAY
    rig.turn({})
    rig.reopen({ schedules: rulesOf(schedule({ layers: [layer({ members: ['cleo'] })] })) })
    rig.now += DAY
    assert.deepEqual(rig.lines(MONDAY, rig.now), [
      '0 7 ben layer weeks',
      '7 9 ada layer weeks (written after a stop)',
      '9 14 cleo layer weeks',
    ])
  })

  it('goes with 400 days, but for the shift that runs', (t) => {
    const rig = started(t)
    const once = rig.add(rig.now, rig.now + HOUR)
    rig.runUntil(MONDAY + 420 * DAY)
    rig.store.maintenance.prune(100)
    const from = rig.port.shifts('primary', { from: 0, until: rig.now }).map((shift) => dayOf(shift.from))
    assert.deepEqual([from[0], from.length], [14, 58])
    assert.equal(rig.port.endOverride(once.id, 'Ada'), undefined)
  })

  it('does not delete a shift that has lasted for longer', (t) => {
    const always = schedule({ layers: [layer({ every: { count: 12, unit: 'month' }, members: ['ada'] })] })
    const rig = new ScheduleRig(t, rulesOf(always))
    rig.runUntil(rig.now + 30 * DAY)
    rig.store.maintenance.prune(100)
    assert.equal(rig.port.shifts('primary', { from: 0, until: rig.now }).length, 2)
  })
})

describe('an override', () => {
  it('takes over at once, and its end gives back', (t) => {
    const rig = started(t)
    rig.runUntil(MONDAY + DAY)
    const { id } = rig.add(rig.now - HOUR, rig.now + DAY)
    assert.equal(rig.port.now()[0]?.now.person, 'cleo')
    rig.runUntil(MONDAY + 1.5 * DAY)
    rig.port.endOverride(id, 'Ada')
    assert.equal(rig.port.now()[0]?.now.person, 'ben')
    rig.runUntil(MONDAY + 2 * DAY)
    assert.deepEqual(rig.lines(MONDAY, rig.now), [
      '0 1 ben layer weeks',
      `1 1.5 cleo override ${id} by Ben: dentist`,
      '1.5 7 ben layer weeks',
    ])
  })

  it('leaves no gap in the record where the clock goes on while it is written', (t) => {
    const rig = started(t)
    rig.reopen({ now: () => rig.now++ })
    rig.add(rig.now - HOUR, rig.now + DAY)
    const [before, after] = rig.port.shifts('primary', { from: MONDAY, until: rig.now })
    assert.deepEqual([before?.until, after?.person], [after?.from, 'cleo'])
  })

  it('survives a restart, and is written when it begins', (t) => {
    const rig = started(t)
    const { id } = rig.add(MONDAY + DAY, MONDAY + 2 * DAY)
    rig.reopen()
    rig.runUntil(MONDAY + 3 * DAY)
    assert.deepEqual(rig.lines(MONDAY, rig.now), [
      '0 1 ben layer weeks',
      `1 2 cleo override ${id} by Ben: dentist`,
      '2 7 ben layer weeks',
    ])
  })

  it('counts in what a stop missed', (t) => {
    const rig = started(t)
    rig.add(MONDAY + DAY, MONDAY + 2 * DAY)
    rig.now = MONDAY + 60 * DAY
    rig.reopen()
    assert.equal(rig.port.shifts('primary', { from: MONDAY + 1.5 * DAY, until: MONDAY + 1.6 * DAY })[0]?.person, 'cleo')
  })

  it('does not count when the disk refuses it', (t) => {
    const rig = started(t)
    rig.failingAtCommit(() => assert.throws(() => rig.add(rig.now, rig.now + DAY)))
    assert.equal(rig.port.now()[0]?.now.person, 'ben')
    assert.deepEqual(rig.port.overrides(), [])
  })

  it('is refused when the schedule has 200 that are not over', (t) => {
    const rig = started(t)
    const made = Array.from({ length: 200 }, (_, at) => rig.add(rig.now + at * HOUR, rig.now + (at + 1) * HOUR))
    assert.throws(() => rig.add(rig.now, rig.now + HOUR), withCode('bad_parameter'))
    rig.port.endOverride(made[9]?.id ?? 0, 'Ada')
    rig.add(rig.now, rig.now + HOUR)
    assert.equal(rig.port.overrides().length, 200)
  })

  it('that is over cannot be ended again', (t) => {
    const rig = started(t)
    const { id } = rig.add(rig.now, rig.now + HOUR)
    rig.runUntil(rig.now + 2 * HOUR)
    assert.equal(rig.port.endOverride(id, 'Ada')?.endedAt, undefined)
    assert.equal(rig.port.endOverride(id + 1, 'Ada'), undefined)
  })
})

describe('the people of an override', () => {
  const schedules = { people: rulesOf().people, schedules: rulesOf().schedules }
  const opened = (t: TestContext) => new OncallRig(t, oncallRules(), { schedules, openSchedules })
  const cover = { schedule: 'primary', person: 'ben', from: MONDAY + 8 * DAY, until: MONDAY + 9 * DAY, ...BY }

  it('get a line: who takes over, and who is relieved', (t) => {
    const rig = opened(t)
    rig.store.schedules?.addOverride(cover)
    const times = 'from 2030-01-15 09:00 to 2030-01-16 09:00 (Europe/Berlin) of the schedule primary'
    assert.deepEqual(rig.told().sort(), [
      `person:ada:1: You are not on call ${times}, ben is instead. Made by Ben: dentist`,
      `person:ben:1: You are on call ${times} in place of ada. Made by Ben: dentist`,
    ])
  })

  it('get a line when it is ended, and none once it is over', (t) => {
    const rig = opened(t)
    const { id } = rig.store.schedules?.addOverride(cover) ?? {}
    rig.told()
    rig.store.schedules?.endOverride(id ?? 0, 'Ada')
    assert.deepEqual(
      rig.told().map((line) => /^person:(\w+):1: The override .* was ended by Ada/.exec(line)?.[1]),
      ['ben', 'ada'],
    )
    rig.store.schedules?.endOverride(id ?? 0, 'Ada')
    assert.deepEqual(rig.told(), [])
  })
})

describe('the state of schedules', () => {
  it('has the next shift and the first gap of 30 days', (t) => {
    const rig = started(t)
    rig.add(MONDAY + DAY, MONDAY + 2 * DAY, { person: 'nobody' })
    rig.add(MONDAY + 2 * DAY, MONDAY + 3 * DAY, { person: 'nobody' })
    const [state] = rig.port.now()
    assert.deepEqual(
      [state?.next?.because, state?.gap],
      ['override 1 by Ben: dentist', { from: MONDAY + DAY, until: MONDAY + 3 * DAY }],
    )
    assert.deepEqual(rig.port.state(), {
      schedules: [{ name: 'primary', covered: true, gapInMs: DAY }],
      overrides: 2,
    })
  })

  it('leaves out schedules whose gaps are allowed', (t) => {
    const rig = new ScheduleRig(t, rulesOf(schedule({ gaps: 'allowed' })))
    assert.deepEqual(rig.port.state().schedules, [])
  })

  it('does not exist without schedules', (t) => {
    const rig = new StoreRig(t)
    assert.equal(rig.store.schedules, undefined)
    assert.equal(rig.store.outbox.nextDueAt('any'), Number.POSITIVE_INFINITY)
  })
})
