import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draft, START } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const DAY = 24 * HOUR
const SWITCH = { field: 'service', values: ['switch'], where: '' }
/** Holds what comes of the service `db` while a problem of the service `switch` fires. */
const BEHIND = silenceOf({ startsAt: 0, endsAt: START + 300 * DAY, while: [SWITCH] })
const cause = { service: 'switch', sender: 'cloud_alarm' } as const
const messages = (told: readonly string[]) => told.filter((each) => !each.includes('🔔'))
const stateOf = (rig: SilenceRig) => rig.store.silences.list({ limit: 10 }).silences[0]?.state

test('what was told before the cause is simply told; what comes while it fires is told when it ends', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  rig.incident('early')
  rig.deliver()
  assert.deepEqual([rig.takeTold(), stateOf(rig)], [['chatws: early'], 'scheduled'])
  rig.incident('core', cause)
  rig.incident('late')
  rig.deliver()
  assert.deepEqual([rig.takeTold(), stateOf(rig)], [['chatws: core'], 'active'])
  rig.at(10 * MINUTE)
  assert.deepEqual(rig.takePaged(), ['trigger core'])
  rig.resolved('core', cause)
  rig.deliver()
  assert.deepEqual(rig.takeTold().toSorted(), [
    'chatws: core over',
    'chatws: late',
    'chatws: 🔔 Silence "patches" (Anna) over: 1 alert of 1 problem held, 0 resolved, 1 still firing, sent now',
  ])
  assert.equal(stateOf(rig), 'scheduled')
  rig.at(15 * MINUTE)
  assert.deepEqual(rig.takePaged(), ['resolve core', 'trigger early', 'trigger late'])
})

test('incidents of one request are held from the first that is a cause', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  const of = (service: string, fingerprint: string) => draft({ ...cause, service, fingerprint, title: fingerprint })
  const drafts = [of('db', 'before'), of('switch', 'core'), of('db', 'after')]
  const { dispatches } = rig.commit({ drafts }, ['chatws'])
  assert.deepEqual(
    dispatches.map((dispatch) => dispatch.kind === 'delivery' && dispatch.title),
    ['before', 'core'],
  )
})

test('of overlapping causes the last one ends the silence', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  rig.incident('a', cause)
  rig.incident('b', cause)
  rig.incident('disk')
  rig.resolved('a', cause)
  rig.deliver()
  assert.deepEqual([stateOf(rig), messages(rig.takeTold()).includes('chatws: disk')], ['active', false])
  rig.resolved('b', cause)
  rig.deliver()
  assert.ok(rig.takeTold().includes('chatws: disk'))
})

test('a cause that ends and begins again holds again', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  for (const nth of [1, 2, 3]) {
    rig.incident('core', cause)
    rig.incident(`disk ${nth}`)
    rig.deliver()
    assert.equal(messages(rig.takeTold()).includes(`chatws: disk ${nth}`), false)
    rig.resolved('core', cause)
    rig.deliver()
    assert.ok(rig.takeTold().includes(`chatws: disk ${nth}`))
  }
})

test('a cause ends by a person, and by quiet, also while the service is stopped', (t) => {
  const rig = new SilenceRig(t, [BEHIND])
  const ends: readonly ((core: string) => void)[] = [
    (core) => void rig.store.operator.resolve(core, 'Bea'),
    () => {
      rig.now += DAY + MINUTE
      rig.turn({})
    },
    () => {
      rig.store.close()
      rig.now += DAY + MINUTE
      rig.reopen()
      rig.turn({})
    },
    () => {
      rig.now += DAY
      rig.turn({ clockJumpMs: DAY })
      assert.equal(stateOf(rig), 'active')
      rig.now += DAY + MINUTE
      rig.turn({})
    },
  ]
  for (const end of ends) {
    const core = rig.incident('core', cause)
    rig.incident('disk', { sender: cause.sender })
    rig.deliver()
    assert.equal(stateOf(rig), 'active')
    rig.takeTold()
    end(core)
    rig.deliver()
    assert.deepEqual([stateOf(rig), messages(rig.takeTold())], ['scheduled', ['chatws: disk']])
  }
})

test('a silence never holds its own cause', (t) => {
  const rig = new SilenceRig(t, [
    silenceOf({ ...BEHIND, while: [{ field: 'severity', values: ['critical'], where: '' }] }),
  ])
  rig.incident('core', { severity: 'critical' })
  rig.incident('disk', { severity: 'warning' })
  rig.deliver()
  assert.deepEqual(messages(rig.takeTold()), ['chatws: core'])
  rig.incident('core', { severity: 'warning', title: 'core is better' })
  rig.deliver()
  assert.deepEqual(messages(rig.takeTold()).toSorted(), ['chatws: core is better', 'chatws: disk'])
})

test('one that is made while its cause fires begins at once', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('core', cause)
  rig.deliver()
  const { silence } = rig.store.silences.add(BEHIND, false)
  assert.deepEqual([silence.state, silence.ends_at], ['active', null])
  rig.incident('disk')
  rig.deliver()
  assert.deepEqual(rig.takeTold(), ['chatws: core'])
  assert.deepEqual(
    rig.store.silences.detail(silence.id)?.causes.map(({ title, service }) => [title, service]),
    [['core', 'switch']],
  )
})

test('a cause whose incident retention has deleted keeps its silence in force over a restart', (t) => {
  const byLabel = { field: 'payload.site', values: ['b'], where: '' }
  const rig = new SilenceRig(t, [{ ...BEHIND, while: [byLabel] }], {
    maxIncidents: 1,
    oncall: { enable: false, waitMs: 0, provider: 'webhook' },
  })
  const core = rig.incident('core', { ...cause, content: Buffer.from('{"site":"b"}') })
  rig.incident('other', { service: 'web' })
  rig.at(6 * MINUTE)
  rig.store.maintenance.prune(1_000)
  assert.equal(rig.store.incidents.detail(core), undefined)
  for (const _ of [1, 2]) {
    rig.reopen()
    rig.deliver()
    assert.equal(stateOf(rig), 'active')
  }
  rig.resolved('core', cause)
  rig.deliver()
  assert.equal(stateOf(rig), 'scheduled')
})

test('its end for good tells what it holds, whatever still fires', (t) => {
  const rig = new SilenceRig(t, [{ ...BEHIND, endsAt: START + HOUR }])
  rig.incident('core', cause)
  rig.incident('disk')
  rig.deliver()
  rig.takeTold()
  rig.at(HOUR)
  assert.deepEqual([stateOf(rig), messages(rig.takeTold())], ['ended', ['chatws: disk']])
})
