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
import { keyed, plain } from './rig.ts'

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
