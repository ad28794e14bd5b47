import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { MessageDispatch } from '../../../../src/domain/delivery/dispatch.ts'
import { ofProblem } from '../../../../src/policy/silences/of-problem.ts'
import { answer, press, tell } from '../../answers/rig.ts'
import { START, StoreRig } from '../../support.ts'
import { compileForTests, HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const LINE = 'chatws: 🔔 Silence over, still firing: disk'

/** The message of `disk` was sent, with an id of the provider. */
function told(t: TestContext): SilenceRig {
  const rig = new SilenceRig(t, [], { threadedChannels: ['chatws'] })
  for (const fingerprint of ['disk', 'cpu'])
    rig.incident(fingerprint, { sender: 'error_tracker', service: fingerprint })
  for (const dispatch of rig.claim('chatws'))
    rig.settle(dispatch, { state: 'sent' }, { messageId: `C1/${dispatch.title}` })
  return rig
}
const disk = ofProblem({ id: 1, fingerprint: 'disk', title: 'disk' })

test('the thread of a problem that fires on tells that its silence is over', (t) => {
  const rig = told(t)
  rig.store.silences.add(silenceOf({ ...disk, endsAt: START + 5 * MINUTE }), true)
  rig.now += 5 * MINUTE
  const [line, ...others] = rig.claim('chatws')
  assert.deepEqual(others, [])
  assert.deepEqual(
    [line?.kind, line?.title, line?.inReplyTo, line?.broadcast],
    ['follow-up', '🔔 Silence over, still firing: disk', 'C1/disk', true],
  )
})

test('what a silence of one problem held is sent, and no line with it', (t) => {
  const rig = told(t)
  rig.store.silences.add(silenceOf({ ...disk, endsAt: START + 5 * MINUTE }), true)
  rig.incident('disk', { title: 'disk again' })
  rig.at(5 * MINUTE)
  assert.deepEqual(rig.takeTold(), [
    'chatws: 🔔 Silence "disk" (Anna) over: 1 alert of 1 problem held, 0 resolved, 1 still firing, sent now',
    'chatws: disk again',
  ])
})

test('the longest time of a silence until resolved is told for each keeper of which nothing is held', (t) => {
  const rig = told(t)
  rig.store.silences.add(
    silenceOf({
      ...{ untilResolved: true, endsAt: START + 5 * MINUTE },
      conditions: [{ field: 'service', values: ['disk', 'cpu'], where: '' }],
    }),
    true,
  )
  rig.incident('cpu', { service: 'cpu', title: 'cpu again' })
  rig.at(5 * MINUTE)
  const all = rig.takeTold()
  assert.deepEqual(
    all.filter((each) => each.includes('still firing:')),
    [LINE],
  )
  assert.equal(all.at(-1), 'chatws: cpu again')
})

test('nothing is told when a problem is resolved, when a person ends the silence, or of a silence by conditions', (t) => {
  const rig = told(t)
  rig.store.silences.add(silenceOf({ ...disk, endsAt: START + 5 * MINUTE }), true)
  rig.store.problems.resolve(1, 'Ada')
  const conditions = [{ field: 'service', values: ['cpu'], where: '' }]
  rig.store.silences.add(silenceOf({ conditions, endsAt: START + 5 * MINUTE }), true)
  const cpu = ofProblem({ id: 2, fingerprint: 'cpu', title: 'cpu' })
  const { silence } = rig.store.silences.add(silenceOf({ ...cpu, endsAt: START + HOUR }), true)
  rig.store.silences.end(silence.id, 'Ada')
  rig.at(6 * MINUTE)
  assert.deepEqual(
    rig.takeTold().filter((each) => each.includes('still firing:')),
    [],
  )
})

test('when the hour of a button is over, the copies get their buttons and the thread its line', (t) => {
  const rig = new StoreRig(t, {
    ...{ answering: ['chatws'], threadedChannels: ['chatws'], channels: ['chatws'] },
    silences: { compile: compileForTests, configured: [] },
  })
  const id = tell(rig, { sender: 'error_tracker' })
  answer(rig.store, press(id, 'silence', { minutes: 60 }))
  const all = () => {
    const found: MessageDispatch[] = []
    for (let turns = 0; turns < 20; turns++) {
      rig.now += 2_000
      for (const one of rig.claim('chatws')) {
        found.push(one)
        rig.settle(one, { state: 'sent' })
      }
    }
    return found
  }
  const before = all()
  assert.deepEqual(before.find(({ edits }) => edits)?.answers?.silenced, true)
  rig.now += HOUR
  const after = all()
  const { silenced, acknowledged } = after.find(({ edits }) => edits)?.answers ?? {}
  assert.deepEqual([silenced, acknowledged], [false, true])
  assert.deepEqual(
    after.flatMap(({ edits, title }) => (edits ? [] : [title])),
    ['🔔 Silence over, still firing: Disk full'],
  )
})
