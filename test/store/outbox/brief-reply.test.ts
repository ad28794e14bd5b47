import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { MessageDispatch } from '../../../src/domain/delivery/dispatch.ts'
import { labelsOf } from '../../../src/intake/recognise.ts'
import { briefPart } from '../../../src/store/brief/part.ts'
import { openBriefReplies } from '../../../src/store/brief/reply.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { StoreRig } from '../support.ts'

const CHANNELS = ['chatws', 'messenger', 'email'] as const
const AFTER_MS = 5_000
const ON = { briefReplies: { afterMs: AFTER_MS, minLevel: 1 }, openBriefReplies }
const ALERT = { title: 'Checkout is slow', service: 'shop', severity: 'critical', fingerprint: 'slow' }

/** A store in which the problem fired and ended an hour ago, so that a reply has something to say. */
function replying(t: TestContext, changes: Partial<StoreOptions> = {}) {
  const rig = new StoreRig(t, {
    channels: CHANNELS,
    threadedChannels: ['chatws', 'email'],
    brief: { openings: 100, labelsOf, part: briefPart },
    ...ON,
    ...changes,
  })
  rig.spill(ALERT)
  send(rig)
  rig.spill({ ...ALERT, status: 'resolved' })
  send(rig)
  later(rig, 3_600_000)
  replies(rig)
  return rig
}

/** Sends what is due, apart from replies. */
function send(rig: StoreRig, channels: readonly ChannelName[] = CHANNELS): void {
  for (const dispatch of rig.claimAll(channels).dispatches) {
    assert.notEqual(dispatch.kind, 'follow-up')
    rig.settle(dispatch, { state: 'sent' }, { messageId: `${dispatch.destination}-${dispatch.incident}` })
  }
}

function later(rig: StoreRig, ms: number): void {
  rig.now += ms
  rig.turn({})
}

const replies = (rig: StoreRig, channels: readonly ChannelName[] = CHANNELS): MessageDispatch[] =>
  rig.claimAll(channels).dispatches.flatMap((dispatch) => (dispatch.kind === 'follow-up' ? [dispatch] : []))

const fire = (rig: StoreRig, changes: object = {}): string => {
  const id = rig.spill({ ...ALERT, ...changes })
  send(rig)
  return id
}

test('a reply stands in the thread of each message that told of the problem, some seconds later, and only once', (t) => {
  const rig = replying(t)
  fire(rig)
  later(rig, AFTER_MS - 1)
  assert.deepEqual(replies(rig), [])
  later(rig, 1)
  const due = replies(rig)
  assert.deepEqual(
    due.map(({ destination, inReplyTo, notice }) => [
      destination,
      inReplyTo,
      notice?.kind === 'follow-up' && notice.word,
    ]),
    [
      ['chatws', 'chatws-3', 'brief'],
      ['email', 'email-3', 'brief'],
    ],
  )
  const [{ notice } = {} as MessageDispatch] = due
  assert.match(
    (notice?.kind === 'follow-up' && notice.text) || '',
    /^before: 1 time in 30 days, .*ended by its sender$/,
  )
  for (const dispatch of due) rig.settle(dispatch, { state: 'sent' })
  fire(rig)
  later(rig, 60_000)
  assert.deepEqual(replies(rig), [], 'a repeat has none')
})

test('each opening has its own', (t) => {
  const rig = replying(t)
  for (let time = 0; time < 2; time++) {
    fire(rig)
    later(rig, AFTER_MS)
    const due = replies(rig)
    assert.equal(due.length, 2)
    for (const dispatch of due) rig.settle(dispatch, { state: 'sent' })
    rig.spill({ ...ALERT, status: 'resolved' })
    send(rig)
    later(rig, 60_000)
  }
})

test('none comes for a problem that is over, quieter, or that nothing is known about', (t) => {
  const rig = replying(t)
  fire(rig)
  rig.spill({ ...ALERT, status: 'resolved' })
  send(rig)
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
  fire(rig, { severity: 'warning' })
  fire(rig, { fingerprint: 'other', service: 'elsewhere' })
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
  later(rig, 3_600_000)
  assert.deepEqual(replies(rig), [])
})

test('one that found no room for 10 minutes is dropped', (t) => {
  const rig = replying(t)
  fire(rig)
  later(rig, 600_001)
  assert.deepEqual(replies(rig), [])
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Number.POSITIVE_INFINITY)
})

test('after a crash it comes once, and one whose attempt may have arrived comes no more', (t) => {
  const rig = replying(t)
  fire(rig)
  rig.reopen()
  later(rig, AFTER_MS)
  const [first] = replies(rig, ['chatws'])
  assert.equal(first?.destination, 'chatws')
  rig.reopen()
  assert.deepEqual(
    replies(rig).map(({ destination }) => destination),
    ['email'],
  )
})

test('a reload that switches it off drops those that wait', (t) => {
  const rig = replying(t)
  fire(rig)
  rig.reopen({ briefReplies: undefined as never, openBriefReplies: undefined as never })
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
  rig.reopen(ON)
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
})

test('a clock that is set back neither repeats nor delays it beyond its time', (t) => {
  const rig = replying(t)
  fire(rig)
  rig.now -= 300_000
  rig.turn({ clockJumpMs: -300_000 })
  later(rig, AFTER_MS)
  assert.equal(replies(rig).length, 2)
  later(rig, 400_000)
  assert.deepEqual(replies(rig), [])
})

test('an incident that retention deletes takes its reply along', (t) => {
  const rig = replying(t, { maxIncidents: 0 })
  const id = fire(rig)
  assert.ok(rig.store.outbox.nextDueAt('chatws') < Number.POSITIVE_INFINITY)
  for (let turns = 0; turns < 4; turns++) rig.store.maintenance.prune(1_000)
  assert.equal(rig.store.incidents.detail(id), undefined)
  assert.equal(rig.store.outbox.nextDueAt('chatws'), Number.POSITIVE_INFINITY)
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
})

test('in a storm of its destination none is added, and one that waits is dropped', (t) => {
  const rate = { perSecond: 1, burst: 1 }
  const rules = { enable: true, withinMs: 10_000, rate, reading: rate, edits: false }
  const rig = replying(t, { storms: { email: rules } })
  fire(rig)
  for (let nth = 0; nth < 200; nth++) rig.spill({ title: `t${nth}`, fingerprint: `f${nth}`, severity: 'critical' })
  for (let second = 0; second < 10; second++) later(rig, 1_000)
  assert.deepEqual(
    replies(rig).map(({ destination }) => destination),
    ['chatws'],
  )
})

test('a message that a person sends once more has no second reply', (t) => {
  const rig = replying(t)
  const id = fire(rig)
  later(rig, AFTER_MS)
  for (const dispatch of replies(rig)) rig.settle(dispatch, { state: 'sent' })
  assert.ok(rig.store.operator.resend(id))
  send(rig)
  later(rig, AFTER_MS)
  assert.deepEqual(replies(rig), [])
})
