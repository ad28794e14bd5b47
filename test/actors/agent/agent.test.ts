import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentActor } from '../../../actors/agent/agent.ts'
import type { LoadCursors, SaveCursors } from '../../../actors/messages/agent.ts'
import type { AgentMail } from '../../../actors/messages/mailboxes.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import type { Finding, Mode } from '../../../src/mining/contract.ts'
import type { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { ShadowLog } from '../../../src/mining/detect/shadow-log.ts'
import { SourcePoller } from '../../../src/mining/input/source-poller.ts'
import type { Cursors } from '../../../src/mining/patterns/catalog-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { finding, memoryFile } from '../../mining/setup.ts'

const TICK_MS = 30_000

const FINDING = finding('p1')

interface Setup {
  readonly mode: Mode
  readonly cursors: Cursors
  /** The catalog has a position of the source. */
  readonly known: boolean
  readonly persistMs: number
}

/** The actor over one source that has one line at every read; `done` lists what it does, in order. */
function setup({ mode = 'detect', cursors = {}, known = true, persistMs = TICK_MS }: Partial<Setup> = {}) {
  const clock = new ManualClock()
  const done: string[] = []
  const found: Finding[] = []
  const mailbox = new Mailbox<SaveCursors | LoadCursors>({ capacity: 2 })
  const disk: { fault: CodedError | undefined } = { fault: undefined }
  const opened: Cursors[] = []
  let lines = 0
  const detector = {
    counts: () => ({ lines, patterns: 0, merged: 0, evicted: 0 }),
    closeTick: () => found.splice(0),
    patterns: () => [],
    snapshot: () => ({ patterns: {}, services: {} }),
  } as unknown as AnomalyDetector
  const source = {
    pull: async (cursor?: { at?: unknown }) => ({
      events: [{ text: 'x' }],
      more: false,
      cursor: { at: Number(cursor?.at ?? 0) + 1 },
    }),
    close: async () => {},
  }
  const actor = agentActor({
    mode,
    tickMs: TICK_MS,
    persistMs,
    detector,
    cursors,
    clock,
    catalog: {
      save({ cursors: saved }) {
        if (disk.fault) throw disk.fault
        done.push(`saved ${JSON.stringify(saved)}`)
      },
    },
    shadow: new ShadowLog(memoryFile()),
    detect: { flush: () => 0 },
    incidentOutbox: {
      add: ({ pattern }) => done.push(`added ${pattern.id}`),
      flush: () => done.push('go'),
      answered: ({ key }) => done.push(`answered ${key}`),
      pending: () => [],
      close() {},
    },
    withoutCursor: known ? [] : ['app'],
    cursorStore: nearRef('cursors', mailbox, 2),
    publisher: { hasSubscribers: false, publish() {} },
    openPoller(from) {
      opened.push(from)
      const take = () => void lines++
      const deps = { cursors: from, process: take, report() {}, now: () => clock.now(), closed: async () => {} }
      return new SourcePoller([{ name: 'app', type: 'file', source }], deps)
    },
    wouldRaise: ({ pattern }) => done.push(`noted ${pattern.id}`),
    diskChanged: (refused) => done.push(refused ? 'refused' : 'recovered'),
  })
  const cursorMail = () => {
    const { messages, slots } = mailbox.take(10)
    for (const slot of slots) slot.free()
    return messages
  }
  const receive = (mail: AgentMail) => actor.receive([mail])
  /** Lets the reads of the tick end, then closes the tick. */
  const tick = async () => {
    await settled()
    clock.advance(TICK_MS)
    await settled()
  }
  return { actor, clock, done, found, cursorMail, receive, tick, disk, opened }
}

const settled = async () => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

test('a finding is on disk, with the positions of its lines, before it is offered', async () => {
  const { done, found, tick, cursorMail } = setup({ persistMs: 1_000_000 })
  await settled()
  done.length = 0
  found.push(FINDING, { ...FINDING, phase: 'lasting' }, finding('p2', { phase: 'renotified' }))
  await tick()
  assert.deepEqual(done.slice(0, 4), ['added p1', 'added p2', 'saved {"app":{"at":2}}', 'go'])
  assert.deepEqual(cursorMail().at(0), { kind: 'save-cursors', cursors: { app: { at: 2 } } })
})

test('shadow mode notes a finding, training mode does nothing with it', async () => {
  for (const mode of ['shadow', 'training'] as const) {
    const { done, found, tick } = setup({ mode })
    found.push(FINDING, { ...FINDING, phase: 'closed' })
    await tick()
    assert.deepEqual(
      done.filter((each) => !each.startsWith('saved')),
      mode === 'shadow' ? ['go', 'noted p1'] : ['go'],
    )
  }
})

test('a source without a position in the catalog is read from the saved cursor', async () => {
  const { opened, cursorMail, receive } = setup({ known: false, cursors: { other: { at: 4 } } })
  await settled()
  assert.deepEqual([opened, cursorMail()], [[], [{ kind: 'load-cursors' }]])
  receive({ kind: 'peer', up: true })
  assert.deepEqual(cursorMail(), [{ kind: 'load-cursors' }])
  receive({ kind: 'cursors-loaded', cursors: { app: { at: 7 }, other: { at: 1 } } })
  receive({ kind: 'cursors-loaded', cursors: { app: { at: 9 } } })
  assert.deepEqual(opened, [{ app: { at: 7 }, other: { at: 4 } }])
})

test('a refusing disk is reported once, and no cursors are saved without the catalog', async () => {
  const { actor, disk, done, cursorMail, tick } = setup()
  await settled()
  disk.fault = new CodedError('storage_full')
  cursorMail()
  await tick()
  await tick()
  assert.deepEqual([done.filter((each) => each === 'refused').length, cursorMail()], [1, []])
  disk.fault = undefined
  await tick()
  const [saved, recovered] = done.slice(-2)
  assert.match(saved ?? '', /^saved/)
  assert.equal(recovered, 'recovered')
  assert.equal(cursorMail().length, 1)
  await actor.close?.()
})

test('drained, it reads no more and saves what it has', async () => {
  const { actor, clock, done } = setup()
  await settled()
  await actor.drain?.()
  assert.equal(done.at(-1), 'saved {"app":{"at":1}}')
  assert.deepEqual(clock.dueInMs, [])
  await actor.close?.()
})
