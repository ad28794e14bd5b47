import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Draft } from '../../../../src/domain/incident.ts'
import { draft, START, settlement } from '../../support.ts'
import { HOUR, MINUTE, SilenceRig, silenceOf } from './rig.ts'

const STEP = 512
const MANY = 1_300

/** A store with many problems whose deliveries and timers wait. */
function crowded(t: TestContext, count = MANY): SilenceRig {
  const rig = new SilenceRig(t, [], { maxIncidents: 100_000, maxBacklog: 1_000_000 })
  for (let first = 0; first < count; first += 1_000)
    rig.commit({ drafts: Array.from({ length: Math.min(1_000, count - first) }, (_, n) => problem(first + n)) })
  return rig
}

const problem = (n: number, changes: Partial<Draft> = {}) =>
  draft({ service: 'db', fingerprint: `p ${n}`, title: `p ${n}`, ...changes })

const heldBy = ({ store }: SilenceRig) => store.silences.state().held
/** Hands out all that is due and confirms it in batches; returns the titles of the messages about incidents. */
function tellAll(rig: SilenceRig): string[] {
  const titles: string[] = []
  for (let turns = 0; turns < 50; turns++) {
    const { dispatches } = rig.claimAll(['chatws', 'oncall'])
    if (dispatches.length === 0) return titles
    titles.push(...dispatches.flatMap(({ kind, title }) => (kind === 'delivery' ? [title] : [])))
    rig.turn({ settlements: dispatches.map((each) => settlement(each, { state: 'sent' })) })
  }
  throw new Error('dispatches do not end')
}

/** Deliveries and timers. */
const ALL = 2 * MANY

test('a window takes what waits in steps, and nothing that it holds is handed out before its end', (t) => {
  const rig = crowded(t)
  rig.store.silences.add(silenceOf(), true)
  const steps = [heldBy(rig)]
  rig.now += 10 * MINUTE
  for (let turns = 0; turns < 20 && heldBy(rig) < ALL; turns++) {
    assert.equal(rig.store.outbox.nextDueAt('any'), 0)
    const before = heldBy(rig)
    assert.deepEqual(rig.claimAll(['chatws', 'oncall']).dispatches, [])
    steps.push(heldBy(rig) - before)
  }
  assert.equal(heldBy(rig), ALL)
  assert.ok(
    steps.every((step) => step <= 2 * STEP + 2_000),
    steps.join(),
  )
  rig.turn({})
  assert.ok(rig.store.outbox.nextDueAt('any') > 0)
  rig.now = START + HOUR
  assert.equal(tellAll(rig).length, MANY)
})

test('a turn without room takes no more than one step', (t) => {
  const rig = crowded(t)
  rig.store.silences.add(silenceOf(), true)
  let before = heldBy(rig)
  assert.ok(before > 0 && before <= 2 * STEP, String(before))
  for (let turns = 0; turns < 20 && heldBy(rig) < ALL; turns++) {
    rig.turn({})
    assert.ok(heldBy(rig) - before <= 2 * STEP, String(heldBy(rig) - before))
    before = heldBy(rig)
  }
  assert.equal(before, ALL)
})

test('a stop between two steps, and a reload, go on where the window was', (t) => {
  const rig = crowded(t)
  const settings = silenceOf({ where: 'config.yaml:9' })
  rig.configure([settings])
  const before = heldBy(rig)
  assert.ok(before < ALL)
  assert.throws(() => rig.failingAtCommit(() => rig.turn({})))
  assert.equal(heldBy(rig), before)
  rig.configure([{ ...settings, endsAt: settings.endsAt + HOUR }])
  assert.ok(heldBy(rig) >= before && heldBy(rig) < ALL)
  assert.deepEqual(rig.claimAll(['chatws']).dispatches, [])
  for (let turns = 0; turns < 20; turns++) rig.turn({})
  assert.equal(heldBy(rig), ALL)
})

test('an end in the middle of the opening tells each problem once', (t) => {
  const rig = crowded(t)
  const { silence } = rig.store.silences.add(silenceOf(), true)
  rig.turn({})
  assert.ok(heldBy(rig) < ALL)
  rig.store.silences.end(silence.id, 'Anna')
  for (let turns = 0; turns < 20; turns++) rig.turn({})
  assert.equal(heldBy(rig), 0)
  const titles = tellAll(rig)
  assert.deepEqual([titles.length, new Set(titles).size], [MANY, MANY])
})

test('what comes while a window opens stays the newest of its problem, and an end ends what waits', (t) => {
  const rig = crowded(t)
  rig.store.silences.add(silenceOf(), true)
  const [again, over] = [MANY - 1, MANY - 2]
  rig.commit({ drafts: [problem(again, { title: 'again' }), problem(over, { status: 'resolved', title: 'over' })] })
  for (let turns = 0; turns < 20; turns++) rig.turn({})
  assert.equal(heldBy(rig), ALL - 2)
  rig.now = START + HOUR
  const told = new Set(tellAll(rig))
  assert.ok(told.has('again'))
  for (const title of [`p ${again}`, `p ${over}`, 'over']) assert.ok(!told.has(title), title)
})

test('a window that a cause opens in the middle of a turn holds what the turn applied before it', (t) => {
  const cause = { field: 'service', values: ['switch'], where: '' } as const
  const rig = new SilenceRig(t, [silenceOf({ startsAt: 0, while: [cause] })])
  const core = draft({ service: 'switch', sender: 'cloud_alarm', fingerprint: 'core', title: 'core' })
  rig.commit({ drafts: [problem(1), core, problem(2)] })
  assert.deepEqual(
    rig.claim('chatws').map(({ title }) => title),
    ['core'],
  )
  assert.equal(heldBy(rig), 4)
})

test('the end of a problem passes that was told before the window, however often it repeated inside', (t) => {
  const rig = new SilenceRig(t)
  rig.incident('disk')
  rig.deliver()
  rig.store.silences.add(silenceOf(), true)
  for (let n = 0; n < 3; n++) rig.incident('disk')
  rig.reopen()
  rig.incident('disk')
  rig.resolved('disk')
  rig.resolved('disk')
  rig.deliver()
  assert.deepEqual(rig.takeTold(), ['chatws: disk', 'chatws: disk over'])
})

test('the end of a problem that an operator ended, and that fired again inside the window, reaches no chat', (t) => {
  const rig = new SilenceRig(t)
  const first = rig.incident('disk')
  rig.deliver()
  rig.store.silences.add(silenceOf(), true)
  rig.now = START + MINUTE
  rig.store.operator.resolve(first, 'Ada')
  rig.incident('disk')
  rig.resolved('disk')
  rig.deliver()
  assert.deepEqual(rig.takeTold(), ['chatws: disk'])
})

test('the end of a problem passes that was told before the window, when retention has deleted its incident', (t) => {
  const oncall = { enable: false, waitMs: 0, provider: 'webhook' } as const
  const rig = new SilenceRig(t, [], { maxIncidents: 3, oncall })
  const first = rig.incident('disk')
  rig.deliver()
  rig.store.silences.add(silenceOf(), true)
  for (let n = 0; n < 6; n++) rig.incident(`web ${n}`, { service: 'web' })
  rig.deliver()
  while (rig.store.maintenance.prune(100) > 0);
  assert.equal(rig.store.incidents.detail(first), undefined)
  rig.takeTold()
  rig.resolved('disk')
  rig.resolved('never told')
  rig.deliver()
  assert.deepEqual(rig.takeTold(), ['chatws: disk over'])
})

test('timers behind those that an opening silence holds are looked at before they page', (t) => {
  const rig = crowded(t, 3_000)
  rig.store.silences.add(silenceOf(), true)
  rig.now = START + 5 * MINUTE
  const { dispatches } = rig.turn({
    capacity: new Map([['oncall', { slots: 600, maxBytes: Number.MAX_SAFE_INTEGER }]]),
  })
  assert.deepEqual(dispatches, [])
})

test('a firing incident that waits is silenced when its problem ended before the step that reaches it', (t) => {
  const rig = crowded(t)
  const late = rig.incident('late')
  rig.store.silences.add(silenceOf(), true)
  rig.store.operator.resolve(late, 'Ada')
  for (let turns = 0; turns < 20; turns++) rig.turn({})
  assert.deepEqual(rig.states(late), ['chatws silenced'])
})
