import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFrame } from '../../../../actors/store/decode-frame.ts'
import type { Draft } from '../../../../src/domain/incident.ts'
import { recognise } from '../../../../src/intake/recognise.ts'
import { EVERY_NTH } from '../../database.ts'
import { OutboxSubject } from '../../outbox/subject.ts'
import { draft, entriesFor, entryOf, roomAt, START } from '../../support.ts'
import { compileForTests, HOUR, SilenceRig, silenceOf } from './rig.ts'

const BEHIND = silenceOf({
  ...{ startsAt: 0, endsAt: START + 300 * 24 * HOUR },
  while: [{ field: 'service', values: ['switch'], where: '' }],
})
const SILENCES = ['silences', 'causes', 'tellings']

const incident = (fingerprint: string, changes: Partial<Draft> = {}) =>
  draft({ service: 'db', sender: 'cloud_alarm', fingerprint, title: fingerprint, ...changes })
const core = (changes: Partial<Draft> = {}) => incident('core', { service: 'switch', ...changes })

test('a turn in which a cause begins, ends or goes quiet changes nothing when the disk fails at any statement', (t) => {
  const subject = new OutboxSubject(t, { silences: { compile: compileForTests, configured: [BEHIND] } })
  const dump = () => ({
    ...subject.dump(),
    silences: SILENCES.map((table) => subject.rows(`SELECT * FROM ${table}`)),
    state: subject.store.silences.state(),
    list: subject.store.silences.list({ limit: 10 }),
    nextDueAt: subject.store.outbox.nextDueAt('any'),
  })
  /** Fails at one statement after the other, until the step gets through. */
  function step(name: string, work: () => void): void {
    const before = dump()
    let statement = 1
    while (subject.failsAt(statement, work)) {
      assert.deepEqual(dump(), before, `${name}, statement ${statement}`)
      statement += (statement < 40 ? 1 : 3) * EVERY_NTH
    }
    assert.ok(statement > 8, `${name}: ${statement} statements`)
  }
  const commit = (...drafts: readonly Draft[]) =>
    subject.turn({ entries: entriesFor(subject.store, [{ drafts }], subject.now) })
  const stateOf = () => subject.store.silences.list({ limit: 1 }).silences[0]?.state

  commit(incident('waits'))
  step('a cause begins', () => commit(core(), incident('disk'), incident('fan')))
  step('it holds what waited', () => subject.turn({}))
  assert.deepEqual([stateOf(), subject.store.silences.state().held], ['active', 9])
  step('a held problem ends', () => commit(incident('fan', { status: 'resolved' })))
  step('its cause ends', () => commit(core({ status: 'resolved' })))
  step('the window closes', () => subject.turn({ capacity: roomAt('chatws') }))
  assert.deepEqual([stateOf(), subject.store.silences.state().held], ['scheduled', 0])
  const second = core()
  step('it begins again', () => commit(second, incident('disk')))
  step('a person ends it', () => void subject.store.operator.resolve(second.id, 'Bea'))
  step('its window closes', () => subject.turn({}))
  assert.deepEqual([stateOf(), subject.store.silences.state().held], ['scheduled', 0])
  step('a third time', () => commit(core(), incident('disk')))
  subject.now += 25 * HOUR
  step('it goes quiet', () => subject.turn({}))
  step('and its window closes', () => subject.turn({}))
  assert.deepEqual([stateOf(), subject.store.silences.state().held], ['scheduled', 0])
})

test('a cause that comes out of quarantine puts its silence in force', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  const content = Buffer.from('{"title":"core is down","service":"switch"}')
  const { frame } = entryOf(1, [{ drafts: [draft({ content })] }])
  rig.turn({ entries: [{ kind: 'unreadable', first: 1, last: 1, frame, error: 'torn' }] })
  rig.incident('early')
  rig.reopen()
  const state = () => rig.store.silences.list({ limit: 1 }).silences[0]?.state
  assert.equal(state(), 'scheduled')
  const next = rig.store.journal.nextQuarantined()
  assert.ok(next)
  assert.ok(rig.store.journal.retry(next, decodeFrame(next.frame, next, recognise)))
  assert.ok(rig.store.outbox.nextDueAt('any') <= rig.now)
  rig.deliver()
  assert.equal(state(), 'active')
  rig.incident('late')
  rig.deliver()
  assert.equal(rig.told.includes('chatws: late'), false)
})
