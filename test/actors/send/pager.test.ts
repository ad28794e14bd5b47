import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circuitThrottle, providerTransport } from '../../../actors/send/transport.ts'
import { createCircuitBreakers } from '../../../src/channels/destination/circuit-breakers.ts'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import type { Page } from '../../../src/domain/delivery/dispatch.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { SENT, senderOver } from './sender-rig.ts'

const START = 1_700_000_000_000
const RETRY: Outcome = { kind: 'retry', reason: 'HTTP 500: no' }

test('pages are sent in the order of dispatch, and each is settled with its attempt', async () => {
  const pager = setup({ outcomes: [SENT, RETRY, { kind: 'failed', reason: 'HTTP 400: no' }] })
  await pager.page(1, 2, 3)
  assert.deepEqual(pager.asked, [1, 2, 3])
  assert.deepEqual(
    pager.settled().map(({ incident, verdict, attempt }) => [incident, verdict.state, attempt?.detail]),
    [
      [1, 'sent', 'trigger'],
      [2, 'pending', 'trigger: HTTP 500: no'],
      [3, 'dead', 'trigger: HTTP 400: no'],
    ],
  )
  assert.equal(pager.occupied(), 0)
})

test('with an open circuit nothing is sent: the page waits on disk until the circuit may close', async () => {
  const pager = setup({ outcomes: [RETRY, RETRY, RETRY, SENT] })
  await pager.page(1)
  await pager.page(2)
  await pager.page(3)
  pager.settled()
  await pager.page(4)
  const [settlement] = pager.settled()
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
    pager.settled().map(({ incident, verdict, attempt }) => [incident, verdict.state, attempt?.mayDuplicate]),
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

test('pages of a lost storage are not settled with the next one', async () => {
  const answer = Promise.withResolvers<Outcome>()
  const pager = setup({ concurrency: 1, tell: () => answer.promise })
  await pager.page(1, 2)
  await pager.tell({ kind: 'peer', up: false })
  answer.resolve(SENT)
  await pager.pass()
  assert.deepEqual(pager.settled(), [])
  assert.equal(pager.occupied(), 0)
})

interface Fakes {
  readonly concurrency?: number
  readonly outcomes?: readonly Outcome[]
  tell?(page: Page, signal: AbortSignal): Promise<Outcome>
}

function setup({ concurrency = 16, outcomes = [], ...fakes }: Fakes) {
  const clock = new ManualClock(START)
  const asked: number[] = []
  const left = [...outcomes]
  const transport = providerTransport<Page>({
    destination: () => 'default',
    send(page, signal) {
      asked.push(page.incident)
      return fakes.tell?.(page, signal) ?? Promise.resolve(left.shift() ?? SENT)
    },
  })
  const throttle = circuitThrottle(createCircuitBreakers({ failures: 3, openForMs: 30_000 }, clock))
  const pager = senderOver({ transport, throttle, concurrency, attempts: 3, clock })
  const page = (...incidents: number[]) =>
    pager.tell(...incidents.map((incident) => ({ kind: 'deliver' as const, dispatch: pageOf(incident) })))
  return { ...pager, asked, page }
}

function pageOf(incident: number): Page {
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
  }
}
