import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const WEEKLY = silenceOf({
  startsAt: 0,
  endsAt: Date.UTC(2030, 11, 31),
  schedule: [{ cron: '0 2 * * SUN', forMs: 2 * HOUR, timeZone: 'Europe/Berlin' }],
})
/** The nights on which clocks change, as windows in UTC: a start that the change skips comes at the end of the gap. */
const NIGHTS = [
  ['spring', Date.UTC(2030, 2, 31, 1)],
  ['autumn', Date.UTC(2030, 9, 27, 0)],
] as const

for (const [night, from] of NIGHTS)
  test(`a weekly window in the night of the ${night} change: 40 alerts of 6 problems, killed inside`, (t) => {
    const begin = from - START
    const rig = new SilenceRig(t, [WEEKLY])
    rig.at(begin - HOUR)
    rig.incident('told before')
    rig.at(begin - 50 * MINUTE)
    assert.deepEqual([rig.takeTold(), rig.takePaged()], [['chatws: told before'], ['trigger told before']])
    rig.at(begin)
    for (let nth = 0; nth < 36; nth++) rig.incident(`p${nth % 6}`, { title: `p${nth % 6} ${nth}` })
    rig.at(begin + HOUR)
    rig.reopen()
    for (const over of ['p0', 'p1', 'p2', 'p3']) rig.resolved(over)
    rig.resolved('told before')
    rig.at(begin + 2 * HOUR - 1)
    const [reminder, ...told] = [...rig.takeTold()].sort((a, b) => Number(b.includes('⏳')) - Number(a.includes('⏳')))
    assert.match(reminder ?? '', /ends in 15 minutes: 2 problems fire/)
    assert.deepEqual([told, rig.takePaged()], [['chatws: told before over'], ['resolve told before']])
    rig.at(begin + 2 * HOUR)
    assert.deepEqual(rig.takeTold(), [
      'chatws: 🔔 Silence "patches" (Anna) over: 40 alerts of 6 problems held, 4 resolved, 2 still firing, sent now',
      'chatws: p4 34',
      'chatws: p5 35',
    ])
    rig.at(begin + 2 * HOUR + 5 * MINUTE)
    assert.deepEqual(rig.takePaged(), ['trigger p4 34', 'trigger p5 35'])
    rig.at(begin + 24 * HOUR)
    assert.deepEqual([rig.takeTold(), rig.takePaged()], [[], []])
  })

test('an end that passed while the service was stopped happens at its start', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk')
  rig.store.close()
  rig.now = START + 3 * HOUR
  rig.reopen()
  rig.deliver()
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
})

test('a restart inside a silence makes nothing due: neither held messages nor held timers', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ endsAt: START + 48 * HOUR })])
  rig.incident('disk')
  for (const hours of [1, 26, 40]) {
    rig.now = START + hours * HOUR
    rig.reopen()
    rig.deliver()
  }
  assert.deepEqual([rig.told, rig.paged], [[], []])
})

test('held timers of a provider that is gone are cancelled', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  const id = rig.incident('disk')
  const { oncall: _, ...without } = rig.options
  rig.store.close()
  Object.assign(rig, { options: without })
  rig.reopen()
  assert.equal(rig.detail(id).oncall?.state, 'cancelled')
})

test('a clock that is set moves no end', (t) => {
  const rig = new SilenceRig(t, [silenceOf()])
  rig.incident('disk')
  rig.now += 30 * MINUTE
  rig.turn({ clockJumpMs: 30 * MINUTE })
  rig.deliver()
  assert.deepEqual(rig.told, [])
  rig.now = START + HOUR
  rig.deliver()
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
})

test('a clock that is set back to before the begin tells nothing of what is held', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ startsAt: START + 10 * MINUTE })])
  rig.at(20 * MINUTE)
  rig.incident('disk')
  rig.now = START
  rig.turn({ clockJumpMs: -20 * MINUTE })
  rig.deliver()
  rig.reopen()
  rig.at(59 * MINUTE)
  assert.deepEqual([rig.told, rig.paged], [[], []])
  rig.at(HOUR)
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
})

test('a clock that was wrong by more than a day does not keep back what was held meanwhile', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ startsAt: START + 400 * HOUR, endsAt: START + 401 * HOUR })])
  rig.now = START + 400 * HOUR
  rig.incident('disk')
  rig.now = START
  rig.turn({ clockJumpMs: -400 * HOUR })
  rig.deliver()
  assert.deepEqual(rig.takeTold().slice(1), ['chatws: disk'])
})

test('what another silence fits stays held by that one', (t) => {
  const rig = new SilenceRig(t, [silenceOf(), silenceOf({ name: 'longer', endsAt: START + 2 * HOUR })])
  rig.incident('disk')
  rig.at(HOUR)
  assert.match(rig.takeTold().join(), /over: 1 alert of 1 problem held, 0 resolved, 1 held on by another silence/)
  rig.at(2 * HOUR)
  assert.deepEqual(rig.takeTold().slice(-1), ['chatws: disk'])
  rig.at(2 * HOUR + 5 * MINUTE)
  assert.deepEqual(rig.takePaged(), ['trigger disk'])
})

test('a silence until all is resolved ends ten minutes after the last problem', (t) => {
  const rig = new SilenceRig(t, [silenceOf({ untilResolved: true })])
  rig.incident('disk')
  rig.at(20 * MINUTE)
  rig.resolved('disk')
  rig.at(29 * MINUTE)
  assert.equal(rig.store.silences.list({ limit: 10 }).silences[0]?.state, 'active')
  rig.at(30 * MINUTE)
  assert.equal(rig.store.silences.list({ limit: 10 }).silences[0]?.state, 'ended')
})

/** At any order of incidents, restarts and failed commits. */
test('inside a silence nothing is told; after it each problem that still fires is told once and pages once', (t) => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('firing' as const), problem: fc.nat(3) }),
    fc.record({ kind: fc.constant('resolved' as const), problem: fc.nat(3) }),
    fc.constant({ kind: 'restart' as const }),
    fc.constant({ kind: 'failure' as const }),
    fc.constant({ kind: 'wait' as const }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const rig = new SilenceRig(t, [silenceOf()])
      const firing = new Map<number, string>()
      steps.forEach((one, nth) => {
        if (one.kind === 'firing') {
          rig.incident(`p${one.problem}`, { title: `n${nth}` })
          firing.set(one.problem, `n${nth}`)
        } else if (one.kind === 'resolved') {
          rig.resolved(`p${one.problem}`)
          firing.delete(one.problem)
        } else if (one.kind === 'restart') rig.reopen()
        else if (one.kind === 'failure')
          rig.failingAtCommit(() => assert.throws(() => rig.incident('lost', { title: 'lost' })))
        else rig.now = Math.min(rig.now + 5 * MINUTE, START + 40 * MINUTE)
        rig.deliver()
      })
      assert.deepEqual([rig.told, rig.paged], [[], []])
      rig.at(HOUR)
      const still = [...firing.values()].sort()
      assert.deepEqual(
        rig
          .takeTold()
          .filter((each) => !each.includes('🔔'))
          .sort(),
        still.map((each) => `chatws: ${each}`),
      )
      rig.at(HOUR + 5 * MINUTE)
      assert.deepEqual(
        rig.takePaged().sort(),
        still.map((each) => `trigger ${each}`),
      )
      assert.equal(rig.store.silences.state().held, 0)
      rig.store.close()
    }),
    { numRuns: 8 },
  )
})
