import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalActor, type PendingCommit } from '../../../actors/journal/journal.ts'
import { keysOfFrame } from '../../../actors/journal/plan.ts'
import { TableKeys } from '../../../actors/journal/postgres/table-keys.ts'
import { Quota } from '../../../actors/journal/quota.ts'
import { COMMIT_WINDOW, type Committed } from '../../../actors/messages/ingest-journal.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { headerOf, keyedRequests, sealFrame } from '../../../src/domain/frame.ts'
import { KeysTaken } from '../../../src/journal/errors.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { Mailbox, type Slot } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { bodiesOn, frameOf } from '../../journal/support.ts'
import { keyed, plain, Rig } from './rig.ts'

/** The journal actor over a table of keys in memory. */
function given() {
  const clock = new ManualClock()
  const progress = new SharedProgress(createProgressMemory())
  progress.setLeaderProgress({ applied: 0, backlog: 0 })
  /** Ids by key, of this replica and others. */
  const table = new Map<string, string>()
  const events: string[] = []
  /** What another replica does just before an append. */
  const hooks = { beforeAppend: () => {}, lookUp: (keys: readonly string[]) => found(keys) }
  const found = (keys: readonly string[]) =>
    new Map(keys.flatMap((key) => (table.has(key) ? [[key, table.get(key) as string]] : [])))
  let next = 1
  const journal = {
    get nextNumber() {
      return next
    },
    keyed: 0,
    append(frames: readonly Uint8Array<ArrayBuffer>[]) {
      hooks.beforeAppend()
      const first = next
      for (const frame of frames) {
        sealFrame(frame, { first: next, life: 0, committedAt: 0, idPrefix: new Uint8Array(10), leads: false }, () => 0)
        next += headerOf(frame).incidents
      }
      const claims = frames.flatMap((frame) => [...keyedRequests(frame)])
      if (claims.some(({ key }) => table.has(key))) {
        next = first
        throw new KeysTaken()
      }
      for (const { key, id } of claims) table.set(key, id)
    },
    release() {},
  }
  const replies = new Mailbox<Committed>({ capacity: COMMIT_WINDOW })
  const actor = journalActor({
    journal,
    progress,
    quota: new Quota(progress, { maxBacklog: 1_000, dispatchesPerIncident: 1 }),
    keys: new TableKeys<PendingCommit>({
      lookUp: (keys) => hooks.lookUp(keys),
      keysOf: ({ frame }) => keysOfFrame(frame),
    }),
    announce: () => {},
    replies: nearRef('ingest', replies, COMMIT_WINDOW),
    clock,
    answers: new WeakMap(),
    storageUp: () => true,
    diskRefused: ({ code }) => events.push(`refused: ${code}`),
    diskRecovered: () => events.push('recovered'),
    appended: (_, result) => events.push(result),
  })
  let batch = 0
  return {
    clock,
    table,
    hooks,
    found,
    events,
    /** Sends the frames in one turn; returns the answer of each. */
    commit(...frames: readonly Uint8Array<ArrayBuffer>[]): string[] {
      const from = batch
      const slots = frames.map(() => ({ free() {} }) as Slot)
      actor.receive(
        frames.map((frame) => ({ kind: 'commit' as const, front: 0, batch: ++batch, frame })),
        slots,
      )
      const taken = replies.take(COMMIT_WINDOW)
      for (const slot of taken.slots) slot.free()
      const answers = new Map(taken.messages.map((answer) => [answer.batch, textOf(answer)]))
      return frames.map((_, at) => answers.get(from + at + 1) ?? 'none')
    },
  }
}

function textOf({ first, results }: Committed): string {
  const [result] = results ?? [{ kind: 'created' as const }]
  if (result?.kind === 'duplicate') return `duplicate ${result.id}`
  return result?.kind === 'refused' ? result.code : `created from ${first}`
}

test('a request with a key is answered in the turn in which it comes', () => {
  const { commit, table } = given()
  assert.deepEqual(commit(keyed('k'), plain(2)), ['created from 3', 'created from 1'])
  assert.deepEqual(commit(keyed('k')), [`duplicate ${table.get('k')}`])
})

test('of one key in two batches of a turn the first is created, and the second is its duplicate', () => {
  const { commit, table } = given()
  const answers = commit(keyed('k'), keyed('k'))
  assert.deepEqual(answers, ['created from 1', `duplicate ${table.get('k')}`])
})

test('a key that another replica uses between lookup and append is a duplicate, and others are created once', () => {
  const { commit, hooks, table, events } = given()
  hooks.beforeAppend = () => void table.set('k', 'the id of another replica')
  assert.deepEqual(commit(plain(), keyed('k'), keyed('other')), [
    'created from 1',
    'duplicate the id of another replica',
    'created from 2',
  ])
  assert.deepEqual(events, ['written'])
})

test('a key that is taken at each try, and never found, is refused in the end', () => {
  const { commit, hooks, table } = given()
  table.set('k', 'unseen')
  hooks.lookUp = () => new Map()
  assert.deepEqual(commit(keyed('k'), plain()), ['storage_down', 'created from 1'])
  assert.deepEqual(commit(plain()), ['created from 2'])
})

test('keys that cannot be looked up are refused; others are created', () => {
  const { commit, hooks, found } = given()
  hooks.lookUp = () => {
    throw new CodedError('storage_down')
  }
  assert.deepEqual(commit(keyed('k'), plain()), ['storage_down', 'created from 1'])
  assert.deepEqual(commit(keyed('k')), ['storage_down'])
  hooks.lookUp = found
  assert.deepEqual(commit(keyed('k')), ['created from 2'])
})

/** Takes what storage was told, as storage does. */
function told({ announced }: Rig): number {
  const { messages, slots } = announced.take(10)
  for (const slot of slots) slot.free()
  return messages.length
}

test('storage is told of what was committed in a turn once', () => {
  const rig = new Rig()
  rig.commit(plain(), plain(2))
  assert.deepEqual([told(rig), told(rig)], [1, 0])
})

test('while storage has not looked, it is told nothing more; then it is told once of all that came meanwhile', () => {
  const rig = new Rig()
  for (let at = 0; at < 20; at++) {
    rig.commit(plain())
    rig.answers()
  }
  assert.deepEqual([told(rig), told(rig), told(rig)], [1, 1, 0])
})

test('a storage that is new is told to look', () => {
  const rig = new Rig()
  rig.storage('down')
  rig.storage('up')
  assert.equal(told(rig), 1)
})

test('frames with keys are known as such before they are known to be committed', () => {
  const rig = new Rig()
  rig.commit(plain(3))
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [0, 3])
  rig.commitKeyed('k')
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [4, 4])
  rig.commit(plain())
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [4, 5])
})

const limits = { maxBacklog: 10, dispatchesPerIncident: 2 }

test('requests are refused that would make more dispatches than the quota, and others of their batch are created', () => {
  const rig = new Rig({ limits })
  rig.commit(plain(3))
  rig.answers()
  const [batch] = rig.commit(frameOf(['{"a":4}', '{"a":5}', '{"a":6}', '{"a":7}']))
  const answer = rig.answerOf(batch)
  assert.deepEqual(
    answer.map((text) => text.slice(0, 7)),
    ['created', 'created', 'backlog', 'backlog'],
  )
  assert.deepEqual([...bodiesOn(rig.disk, 0, 5).values()].slice(3), ['{"a":4}', '{"a":5}'])
  assert.equal(rig.progress.committed, 5)
})

test('batches of one turn share the quota', () => {
  const rig = new Rig({ limits })
  const [first, second] = rig.commit(plain(5), plain(1))
  const answers = rig.answers()
  assert.deepEqual(answers.get(first ?? 0), ['created from 1'])
  assert.deepEqual(answers.get(second ?? 0), ['backlog_full'])
})

test('what apply decides is counted instead of the upper bound', () => {
  const rig = new Rig({ limits })
  rig.commit(plain(5))
  rig.answers()
  rig.applied(5, 4)
  assert.deepEqual(rig.answerOf(rig.commit(plain(3))[0]), ['created from 6'])
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
  rig.applied(8, 0)
  assert.deepEqual(rig.answerOf(rig.commit(plain(5))[0]), ['created from 9'])
})

test('a request that is larger than the whole quota passes while nothing waits', () => {
  const rig = new Rig({ limits: { maxBacklog: 1, dispatchesPerIncident: 3 } })
  const [batch] = rig.commit(plain(2))
  assert.deepEqual(
    rig.answerOf(batch).map((text) => text.slice(0, 7)),
    ['created', 'backlog'],
  )
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
  rig.applied(1, 0)
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['created from 2'])
})

test('an incident counts as one dispatch when there is no channel', () => {
  const rig = new Rig({ limits: { maxBacklog: 2, dispatchesPerIncident: 0 } })
  assert.deepEqual(rig.answerOf(rig.commit(plain(2))[0]), ['created from 1'])
  assert.deepEqual(rig.answerOf(rig.commit(plain(1))[0]), ['backlog_full'])
})

test('a batch whose disk refuses does not count', () => {
  const rig = new Rig({ limits })
  rig.disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  rig.commit(plain(5))
  rig.answers()
  rig.disk.before = () => undefined
  rig.clock.advance(500)
  assert.deepEqual(rig.answerOf(rig.commit(plain(5))[0]), ['created from 1'])
})
