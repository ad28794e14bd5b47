import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer } from '../../../src/domain/answer.ts'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { escalating, MINUTE, rulesOf } from '../oncall/rig.ts'
import { draft, entriesFor, StoreRig } from '../support.ts'
import { answer, press } from './rig.ts'

const RATE = { perSecond: 1, burst: 4 }
const CHAT = { enable: true, rate: RATE, reading: RATE, withinMs: 60_000, edits: true }

const given = (t: TestContext) =>
  new StoreRig(t, { channels: ['chatws'], answering: ['chatws'], maxBacklog: 100_000, storms: { chatws: CHAT } })

/** Commits incidents of as many problems in one turn. */
function flood(rig: StoreRig, count: number): string[] {
  const drafts = Array.from({ length: count }, () => draft({ severity: 'warning', createdAt: rig.now }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  return drafts.map(({ id }) => id)
}

/** Passes seconds of the chat, until a digest went; returns it. */
function digest(rig: StoreRig, seconds = 120): MessageDispatch | undefined {
  for (let n = 0; n < seconds; n++) {
    rig.now += 1_000
    const claimed = rig.claim('chatws', 10)
    for (const one of claimed) rig.settle(one, { state: 'sent' }, { messageId: `m${one.kind}${one.incident}` })
    while (rig.turn({}).concluded.length > 0);
    const found = claimed.find(({ kind }) => kind === 'digest')
    if (found !== undefined) return found
  }
  return undefined
}

const pressAll = (of: MessageDispatch | undefined, changes: Partial<Answer> = {}) =>
  press('', 'acknowledge_all', {
    subject: of?.answers?.subject ?? { kind: 'digest', number: 0, revision: 0 },
    ...changes,
  })

const isAcknowledged = (rig: StoreRig) => (id: string) => (rig.detail(id).acked_by ?? null) !== null
/** Ids of the incidents with a place, in order. */
const placesOf = ({ store }: StoreRig, of: MessageDispatch | undefined) =>
  store.noise.places({ number: of?.number ?? 0, limit: 500 })?.places.map(({ incident_id }) => incident_id) ?? []

test('Acknowledge all acknowledges what the pressed revision told of, in steps, and nothing that came later', (t) => {
  const rig = given(t)
  const told = flood(rig, 200)
  const first = digest(rig)
  assert.equal(first?.answers?.acknowledged, false)
  const folded = placesOf(rig, first)
  const later = flood(rig, 20)
  const oncePressed = pressAll(first)
  assert.equal(answer(rig.store, oncePressed).result, 'done')
  assert.equal(told.filter(isAcknowledged(rig)).length, 64)
  assert.equal(rig.store.outbox.nextDueAt('any'), 0)
  rig.reopen()
  while (rig.store.outbox.nextDueAt('any') === 0) rig.turn({})
  assert.ok(folded.length > 128)
  assert.deepEqual(told.filter(isAcknowledged(rig)), folded)
  assert.deepEqual(later.filter(isAcknowledged(rig)), [])
  const last = rig.detail(folded.at(-1) ?? '')
  const onRecord = rig.store.answers.list({ limit: 9, problem: last.problem ?? 0 })
  assert.deepEqual(
    onRecord.answers.map(({ action, actor, via, result }) => [action, actor, via, result]),
    [['acknowledge_all', 'Ada Lovelace', 'chatws', 'done']],
  )
  assert.equal(answer(rig.store, oncePressed).result, 'done')
  assert.equal(answer(rig.store, pressAll(first)).result, 'already')
})

test('the digest is edited at once, and tells of nothing new', (t) => {
  const rig = given(t)
  flood(rig, 40)
  const first = digest(rig)
  assert.equal(answer(rig.store, pressAll(first)).result, 'done')
  const next = digest(rig, 1)
  assert.deepEqual(
    [next?.edits !== undefined, next?.answers?.acknowledged, next?.answers?.last?.by, next?.notice?.kind],
    [true, true, 'Ada Lovelace', 'digest'],
  )
  assert.equal(rig.store.noise.digest(first?.number ?? 0)?.update, 1)
  assert.equal(digest(rig, 2), undefined)
  flood(rig, 40)
  assert.equal(digest(rig)?.answers?.acknowledged, false)
})

test('a digest that is not stored is unknown, and a message that it never had is in no chat of ours', (t) => {
  const rig = given(t)
  assert.equal(answer(rig.store, pressAll(undefined)).result, 'unknown')
  flood(rig, 40)
  const first = digest(rig)
  const elsewhere = pressAll(first, { mustBeCopy: true, copy: { messageId: 'C9/9' } })
  assert.equal(answer(rig.store, elsewhere).result, 'wrong_chat')
  const here = pressAll(first, { mustBeCopy: true, copy: { messageId: 'mdigest0' } })
  assert.equal(answer(rig.store, here).result, 'done')
})

test('the message of a storm that is over gets one more edit', (t) => {
  const rig = given(t)
  flood(rig, 40)
  let last = digest(rig)
  while (rig.store.noise.digest(1)?.state === 'open') last = digest(rig, 10) ?? last
  assert.deepEqual([last?.answers?.phase, rig.store.noise.digest(1)?.state], ['firing', 'closed'])
  assert.equal(answer(rig.store, pressAll(last)).result, 'done')
  rig.reopen()
  while (rig.store.outbox.nextDueAt('any') === 0) rig.turn({})
  const claimed: MessageDispatch[] = []
  for (let at = 0; at < Infinity; at = rig.store.outbox.nextDueAt('chatws')) {
    rig.now = Math.max(rig.now, at)
    const now = rig.claim('chatws')
    for (const each of now) rig.settle(each, { state: 'pending', at: rig.now }, { outcome: 'gone' })
    claimed.push(...now)
  }
  const edits = claimed.filter(({ notice }) => notice?.kind === 'digest')
  assert.deepEqual(
    edits.map(({ edits, title, answers }) => [edits, title, answers?.acknowledged, answers?.subject]),
    [['mdigest0', last?.title, true, last?.answers?.subject]],
  )
})

test('Acknowledge all leaves a problem alone that ended and fires again since the digest told of it', (t) => {
  const rig = given(t)
  flood(rig, 40)
  const first = digest(rig)
  const [old = '', other = ''] = placesOf(rig, first)
  const { fingerprint } = rig.detail(old)
  rig.spill({ fingerprint, status: 'resolved' })
  const again = rig.spill({ fingerprint })
  assert.equal(answer(rig.store, pressAll(first)).result, 'done')
  assert.deepEqual([again, other].map(isAcknowledged(rig)), [false, true])
})

test('Acknowledge all takes a problem again whose escalation asks again', (t) => {
  const rig = new StoreRig(t, {
    ...{ channels: ['chatws', 'email'], answering: ['chatws'], maxBacklog: 100_000, storms: { chatws: CHAT } },
    ...{ oncall: { enable: true, waitMs: 0, provider: 'webhook' }, ...escalating(rulesOf({ ackForMs: 20 * MINUTE })) },
    decide: ({ status }) => ({
      ...{ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [] },
      ...(status === 'firing' && { page: { waitMs: 0, escalation: 'office' } }),
    }),
  })
  flood(rig, 40)
  const first = digest(rig)
  const phases = () => new Set(rig.store.oncallRuns?.list().runs.map(({ phase }) => phase))
  assert.equal(answer(rig.store, pressAll(first)).result, 'done')
  assert.equal(answer(rig.store, pressAll(first)).result, 'already')
  rig.now += 21 * MINUTE
  rig.turn({})
  assert.ok(phases().has('asking'))
  assert.equal(answer(rig.store, pressAll(first)).result, 'done')
  assert.equal(answer(rig.store, pressAll(first)).result, 'already')
})
