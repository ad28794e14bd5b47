import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentActor } from '../../../actors/agent/agent.ts'
import type { LoadCursors, SaveCursors } from '../../../actors/messages/agent.ts'
import type { AgentMail } from '../../../actors/messages/mailboxes.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import type { AnomalyDetector, Finding, Mode } from '../../../src/mining/contract.ts'
import { ShadowLog } from '../../../src/mining/detect/shadow-log.ts'
import { SourcePoller } from '../../../src/mining/input/source-poller.ts'
import type { Cursors } from '../../../src/mining/patterns/catalog-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { finding, memoryFile } from '../../mining/setup.ts'

const TICK_MS = 30_000

const FINDING = finding('p1')

interface Given {
  readonly mode: Mode
  readonly cursors: Cursors
  /** The catalog knows where the source goes on. */
  readonly known: boolean
  readonly persistMs: number
}

/** The actor over one source that has a line every time it is read; everything it does is in `done`, in order. */
function given({ mode = 'detect', cursors = {}, known = true, persistMs = TICK_MS }: Partial<Given> = {}) {
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
  const told = () => {
    const { messages, slots } = mailbox.take(10)
    for (const slot of slots) slot.free()
    return messages
  }
  const receive = (mail: AgentMail) => actor.receive([mail], [])
  /** What has been read is read, and the tick that follows is closed. */
  const tick = async () => {
    await settled()
    clock.advance(TICK_MS)
    await settled()
  }
  return { actor, clock, done, found, told, receive, tick, disk, opened }
}

const settled = async () => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
}

test('what is found is on disk, with the cursors of its lines, before anybody hears of it', async () => {
  const { done, found, tick, told } = given({ persistMs: 1_000_000 })
  await settled()
  done.length = 0
  found.push(FINDING, { ...FINDING, phase: 'lasting' }, finding('p2', { phase: 'renotified' }))
  await tick()
  assert.deepEqual(done.slice(0, 4), ['added p1', 'added p2', 'saved {"app":{"at":2}}', 'go'])
  assert.deepEqual(told().at(0), { kind: 'remember', cursors: { app: { at: 2 } } })
})

test('shadow notes and training keeps quiet', async () => {
  for (const mode of ['shadow', 'training'] as const) {
    const { done, found, tick } = given({ mode })
    found.push(FINDING, { ...FINDING, phase: 'closed' })
    await tick()
    assert.deepEqual(
      done.filter((each) => !each.startsWith('saved')),
      mode === 'shadow' ? ['go', 'noted p1'] : ['go'],
    )
  }
})

test('a source of which the catalog knows nothing is read from where the store remembers', async () => {
  const { opened, told, receive } = given({ known: false, cursors: { other: { at: 4 } } })
  await settled()
  assert.deepEqual([opened, told()], [[], [{ kind: 'recall' }]])
  receive({ kind: 'peer', up: true })
  assert.deepEqual(told(), [{ kind: 'recall' }])
  receive({ kind: 'recalled', cursors: { app: { at: 7 }, other: { at: 1 } } })
  receive({ kind: 'recalled', cursors: { app: { at: 9 } } })
  assert.deepEqual(opened, [{ app: { at: 7 }, other: { at: 4 } }])
})

test('a disk that refuses is told of once, and nothing is remembered that is not saved', async () => {
  const { actor, disk, done, told, tick } = given()
  await settled()
  disk.fault = new CodedError('storage_full')
  told()
  await tick()
  await tick()
  assert.deepEqual([done.filter((each) => each === 'refused').length, told()], [1, []])
  disk.fault = undefined
  await tick()
  const [saved, recovered] = done.slice(-2)
  assert.match(saved ?? '', /^saved/)
  assert.equal(recovered, 'recovered')
  assert.equal(told().length, 1)
  await actor.close?.()
})

test('at its end it reads no more and saves what it has', async () => {
  const { actor, clock, done } = given()
  await settled()
  await actor.drain?.()
  assert.equal(done.at(-1), 'saved {"app":{"at":1}}')
  assert.deepEqual(clock.dueInMs, [])
  await actor.close?.()
})
