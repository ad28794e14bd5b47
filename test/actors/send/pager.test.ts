import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SenderMail } from '../../../actors/messages/mailboxes.ts'
import type { Settle } from '../../../actors/messages/storage-send.ts'
import { senderActor } from '../../../actors/send/sender.ts'
import { circuitThrottle, providerTransport } from '../../../actors/send/transport.ts'
import { createCircuitBreakers } from '../../../src/channels/destination/circuit-breakers.ts'
import type { Outcome } from '../../../src/domain/delivery.ts'
import type { Page } from '../../../src/domain/dispatch.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'

const START = 1_700_000_000_000
const SENT: Outcome = { kind: 'sent' }
const RETRY: Outcome = { kind: 'retry', reason: 'HTTP 500: no' }

test('pages are sent in the order of dispatch, and each is settled with its attempt', async () => {
  const pager = setup({ outcomes: [SENT, RETRY, { kind: 'failed', reason: 'HTTP 400: no' }] })
  await pager.page(1, 2, 3)
  assert.deepEqual(pager.asked, [1, 2, 3])
  assert.deepEqual(
    pager.settlements().map(({ incident, verdict, attempt }) => [incident, verdict.state, attempt?.detail]),
    [
      [1, 'sent', 'trigger'],
      [2, 'pending', 'trigger: HTTP 500: no'],
      [3, 'dead', 'trigger: HTTP 400: no'],
    ],
  )
  assert.equal(pager.occupied(), 0)
})

test('after the last attempt the page is dead', async () => {
  const pager = setup({ outcomes: [RETRY] })
  await pager.tell({ kind: 'deliver', dispatch: pageOf(1, { attempt: 3 }) })
  assert.deepEqual(pager.settlements()[0]?.verdict, { state: 'dead', reason: 'gave up after 3 attempts: HTTP 500: no' })
})

test('with an open circuit nothing is sent: the page waits on disk until the circuit may close', async () => {
  const pager = setup({ outcomes: [RETRY, RETRY, RETRY, SENT] })
  await pager.page(1)
  await pager.page(2)
  await pager.page(3)
  pager.settlements()
  await pager.page(4)
  const [settlement] = pager.settlements()
  assert.deepEqual([settlement?.verdict, settlement?.attempt], [{ state: 'pending', at: START + 30_000 }, undefined])
  assert.deepEqual(pager.asked, [1, 2, 3])
})

test('a provider that throws or never answers costs the page an attempt of unknown outcome', async () => {
  const pager = setup({
    tell: (page, signal) => {
      if (page.incident === 1) throw new Error('a bug')
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'retry', reason: 'no answer', mayDuplicate: true }))
      })
    },
  })
  await pager.page(1, 2)
  pager.clock.advance(10_000)
  await pager.pass()
  assert.deepEqual(
    pager.settlements().map(({ incident, verdict, attempt }) => [incident, verdict.state, attempt?.mayDuplicate]),
    [
      [1, 'pending', true],
      [2, 'pending', true],
    ],
  )
  assert.deepEqual(pager.faults, ['a bug'])
})

test('no more requests are under way than allowed; the others wait their turn', async () => {
  const answers = [1, 2, 3].map(() => Promise.withResolvers<Outcome>())
  const pager = setup({
    concurrency: 2,
    tell: ({ incident }) => answers[incident - 1]?.promise ?? Promise.resolve(SENT),
  })
  await pager.page(1, 2, 3)
  assert.deepEqual(pager.asked, [1, 2])
  answers[0]?.resolve(SENT)
  await pager.pass()
  assert.deepEqual(pager.asked, [1, 2, 3])
})

test('drained, it releases waiting pages, and settles the one on the wire as unknown', async () => {
  const pager = setup({
    concurrency: 1,
    tell: (_page, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'retry', reason: 'no answer', mayDuplicate: true }))
      }),
  })
  await pager.page(1, 2)
  const drained = pager.cell.drain()
  await pager.pass()
  assert.deepEqual(
    pager.settlements().map(({ incident, verdict }) => [incident, verdict.state]),
    [[2, 'released']],
  )
  pager.clock.advance(4_000)
  await pager.pass()
  assert.equal(pager.settlements()[0]?.attempt?.mayDuplicate, true)
  await drained
  await pager.page(3)
  assert.deepEqual(
    pager.settlements().map(({ incident, verdict }) => [incident, verdict.state]),
    [[3, 'released']],
  )
})

test('pages of a lost storage are not settled with the next one', async () => {
  const answer = Promise.withResolvers<Outcome>()
  const pager = setup({ concurrency: 1, tell: () => answer.promise })
  await pager.page(1, 2)
  await pager.tell({ kind: 'peer', up: false })
  answer.resolve(SENT)
  await pager.pass()
  assert.deepEqual(pager.settlements(), [])
  assert.equal(pager.occupied(), 0)
})

interface Fakes {
  readonly concurrency?: number
  readonly outcomes?: readonly Outcome[]
  tell?(page: Page, signal: AbortSignal): Promise<Outcome>
}

function setup({ concurrency = 16, outcomes = [], ...fakes }: Fakes) {
  const clock = new ManualClock(START)
  const { scheduler, passAll } = manualScheduler()
  const storage = new Mailbox<Settle>({ capacity: 64 })
  const asked: number[] = []
  const faults: string[] = []
  const left = [...outcomes]
  const circuits = createCircuitBreakers({ failures: 3, openForMs: 30_000 }, clock)
  const toStorage = nearRef<Settle>('storage', storage, 64)
  const cell = new Cell<SenderMail<Page>>(
    {
      name: 'oncall',
      batch: 64,
      slots: 'held',
      mailbox: { capacity: 64 },
      build: () =>
        senderActor({
          transport: providerTransport({
            destination: () => 'default',
            send(page, signal) {
              asked.push(page.incident)
              return fakes.tell?.(page, signal) ?? Promise.resolve(left.shift() ?? SENT)
            },
          }),
          storage: toStorage,
          policy: { attempts: 3, initialMs: 1, maxMs: 1 },
          throttle: circuitThrottle(circuits),
          concurrency,
          clock,
          mayBegin: () => true,
          timeoutMs: 10_000,
          drainMs: 4_000,
          random: () => 0,
          attempted() {},
          failed: (error) => void faults.push(error instanceof Error ? error.message : String(error)),
        }),
    },
    { clock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  async function pass() {
    for (let round = 0; round < 5; round++) {
      passAll()
      await new Promise(setImmediate)
    }
  }
  const handle = {
    cell,
    clock,
    asked,
    faults,
    pass,
    async tell(mail: SenderMail<Page>) {
      assert.ok(cell.mailbox.offer(mail))
      await pass()
    },
    async page(...incidents: number[]) {
      for (const incident of incidents) assert.ok(cell.mailbox.offer({ kind: 'deliver', dispatch: pageOf(incident) }))
      await pass()
    },
    settlements() {
      const { messages, slots } = storage.take(64)
      for (const slot of slots) slot.free()
      return messages.map(({ settlement }) => settlement)
    },
    occupied: () => cell.mailbox.occupied,
  }
  return handle
}

function pageOf(incident: number, over: Partial<Page> = {}): Page {
  return {
    kind: 'page',
    destination: 'oncall',
    code: 31,
    incident,
    number: 0,
    id: `id-${incident}`,
    source: 'webhook',
    sender: 'custom',
    title: 'ledger',
    service: 'ledger',
    severity: 'critical',
    status: 'firing',
    fingerprint: 'f',
    createdAt: START,
    dueAt: START,
    dispatchedAt: START,
    signal: 'trigger',
    attempt: 1,
    mayDuplicate: false,
    ...over,
  }
}
