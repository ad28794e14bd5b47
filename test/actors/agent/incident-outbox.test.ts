import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createIncidentOutbox } from '../../../actors/agent/incident-outbox.ts'
import type { Raise } from '../../../actors/messages/agent.ts'
import type { Explanation } from '../../../src/analysis/analyst.ts'
import type { EventPublisher } from '../../../src/domain/event.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import { FINDING } from '../../analysis/setup.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { memoryLog } from '../../harness/system.ts'
import { finding } from '../../mining/setup.ts'

const QUIET: EventPublisher = { hasSubscribers: false, publish() {} }
const EXPLAINED: Explanation = { finding: FINDING, by: 'model', note: '' }

/** An outbox whose edge to ingest has the places that the test gives it. */
function setup({ room = 8, stored = [], explain = async () => EXPLAINED }: Partial<Setup> = {}) {
  const clock = new ManualClock()
  const mailbox = new Mailbox<Raise>({ capacity: room })
  let keys = 0
  const log = memoryLog()
  const incidentOutbox = createIncidentOutbox({
    clock,
    log,
    tickMs: 30_000,
    publisher: QUIET,
    stored,
    analyst: { explain },
    ingest: nearRef('ingest', mailbox, room),
    newKey: () => String(++keys),
    random: () => 1,
  })
  /** Incidents offered since the last call; frees their places. */
  const offered = async () => {
    await nextTurn()
    const { messages, slots } = mailbox.take(100)
    for (const slot of slots) slot.free()
    return messages.map(({ key, content }) => ({ key, ...JSON.parse(Buffer.from(content).toString()) }))
  }
  return { incidentOutbox, offered, clock, log }
}
interface Setup {
  readonly room: number
  readonly stored: readonly unknown[]
  explain(): Promise<Explanation>
}

test('nothing is offered before flush, and each finding once, under a key of its own', async () => {
  const { incidentOutbox, offered } = setup()
  incidentOutbox.add(finding('p1'), 0)
  incidentOutbox.add(finding('p2', { kind: 'spike' }), 0)
  assert.deepEqual(await offered(), [])
  incidentOutbox.flush()
  incidentOutbox.flush()
  const [one, two] = await offered()
  assert.deepEqual([one.key, one.PatternID, one.Source, one.AlertName], ['agent-1', 'p1', 'AI Agent', FINDING.title])
  assert.deepEqual([two.key, two.PatternID, two.Verdict], ['agent-2', 'p2', 'spike'])
  assert.deepEqual(await offered(), [])
})

test('a refused finding is offered again under its key, after growing delays, until it is taken', async () => {
  const { incidentOutbox, offered, clock } = setup()
  incidentOutbox.add(finding('p1'), 0)
  incidentOutbox.flush()
  for (const delayMs of [1_000, 2_000, 4_000]) {
    const [entry] = await offered()
    assert.equal(entry.key, 'agent-1')
    incidentOutbox.answered({ kind: 'raised', key: 'agent-1', answer: { kind: 'refused', code: 'storage_full' } })
    assert.deepEqual(clock.dueInMs, [delayMs])
    clock.advance(delayMs)
  }
  await offered()
  incidentOutbox.answered({ kind: 'raised', key: 'agent-1', answer: { kind: 'duplicate', id: 'i' } })
  assert.deepEqual([incidentOutbox.pending(), clock.dueInMs], [[], []])
})

test('a finding without room stays until there is some', async () => {
  const { incidentOutbox, offered } = setup({ room: 1 })
  for (let n = 0; n < 3; n++) incidentOutbox.add(finding(`p${n}`), 0)
  incidentOutbox.flush()
  const seen = []
  for (let n = 0; n < 3; n++) seen.push(...(await offered()).map(({ PatternID }) => PatternID))
  assert.deepEqual(seen, ['p0', 'p1', 'p2'])
})

test('findings of an earlier incarnation are offered under their old keys; unreadable ones are left out', async () => {
  const first = setup()
  first.incidentOutbox.add(finding('p1'), 0)
  const stored = [
    ...JSON.parse(JSON.stringify(first.incidentOutbox.pending())),
    null,
    { key: 'x' },
    { observation: 7, key: 'y' },
  ]
  const { incidentOutbox, offered } = setup({ stored })
  incidentOutbox.flush()
  assert.deepEqual(
    (await offered()).map(({ key }) => key),
    ['agent-1'],
  )
})

test('a slow model holds up four findings, and the outbox keeps a thousand at most', async () => {
  const gate = Promise.withResolvers<Explanation>()
  let asked = 0
  const explain = () => {
    asked++
    return gate.promise
  }
  const { incidentOutbox, offered, log } = setup({ explain, room: 2_000 })
  for (let n = 0; n < 1_005; n++) incidentOutbox.add(finding(`p${n}`), 0)
  incidentOutbox.flush()
  assert.deepEqual([asked, incidentOutbox.pending().length], [4, 1_000])
  assert.equal(log.lines.filter(({ message }) => message.includes('one was dropped')).length, 5)
  gate.resolve(EXPLAINED)
  await nextTurn()
  assert.equal((await offered()).length > 4, true)
})

test('closed, it offers nothing more', async () => {
  const { incidentOutbox, offered, clock } = setup()
  incidentOutbox.add(finding('p1'), 0)
  incidentOutbox.flush()
  await offered()
  incidentOutbox.answered({ kind: 'raised', key: 'agent-1', answer: { kind: 'refused', code: 'storage_down' } })
  incidentOutbox.close()
  assert.deepEqual(clock.dueInMs, [])
  assert.equal(incidentOutbox.pending().length, 1)
})
