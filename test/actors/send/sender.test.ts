import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../../src/domain/delivery/delivery.ts'
import { SENT, setup } from './sender-rig.ts'

const HOUR_MS = 3_600_000

test('a batch that is rendered first leaves after batches that were dispatched before it', async () => {
  const renders: PromiseWithResolvers<void>[] = []
  const sender = setup({
    render: async () => {
      const render = Promise.withResolvers<void>()
      renders.push(render)
      await render.promise
    },
  })
  await sender.deliver(1, 2)
  await sender.deliver(3)
  renders[1]?.resolve()
  await sender.pass()
  renders[0]?.resolve()
  await sender.pass()
  assert.deepEqual(sender.sent, [1, 2, 3])
})

test('a provider that asks for an hour frees all places, and the other destinations go on', async () => {
  const sender = setup({
    concurrency: 1,
    rate: { perSecond: 1, burst: 1 },
    send: async ({ target }) => (target === 'b' ? SENT : { kind: 'retry', reason: 'slow', afterMs: HOUR_MS }),
  })
  await sender.deliver(1, 2, 3, 4)
  await sender.deliver(5)
  assert.equal(sender.occupied(), 0)
  assert.deepEqual(
    sender.settled().map(({ verdict }) => verdict.state === 'pending' && verdict.at - sender.clock.now()),
    [HOUR_MS, HOUR_MS, HOUR_MS + 1_000, HOUR_MS + 2_000, HOUR_MS + 3_000],
  )
  await sender.deliverTo('b', 6)
  assert.deepEqual(sender.verdicts(), [[6, 'sent']])
})

test('a provider that asks for a century is asked again after an hour', async () => {
  const sender = setup({ send: async () => ({ kind: 'retry', reason: 'later', afterMs: 100 * 365 * 24 * HOUR_MS }) })
  await sender.deliver(1)
  sender.clock.advance(HOUR_MS)
  await sender.deliver(2)
  assert.deepEqual(sender.sent, [1, 2])
})

test('a backlog waits on disk, spaced by the rate, and nothing overtakes it', async () => {
  const sender = setup({ rate: { perSecond: 1, burst: 1 } })
  const incidents = Array.from({ length: 30 }, (_, n) => n + 1)
  await sender.deliver(...incidents)
  assert.ok(sender.occupied() <= 11, `${sender.occupied()} places`)
  sender.clock.advance(15_000)
  await sender.pass()
  await sender.deliver(31)
  const late = sender.settled().filter(({ verdict }) => verdict.state === 'pending')
  assert.deepEqual(
    late.map(({ incident }) => incident),
    [...incidents.slice(11), 31],
  )
  const turns = late.map(({ verdict }) => (verdict.state === 'pending' ? verdict.at : 0))
  assert.deepEqual(
    turns.slice(1).map((at, n) => at - (turns[n] ?? 0)),
    turns.slice(1).map(() => 1_000),
  )
})

test('after the first refusal of an open circuit nothing is rendered for its destination', async () => {
  let renders = 0
  const sender = setup({
    render: async (count) => {
      renders += count
    },
    send: async () => ({ kind: 'retry', reason: 'down' }),
  })
  await sender.deliver(1, 2)
  await sender.deliver(3)
  await sender.deliver(4)
  renders = 0
  await sender.deliver(5, 6, 7)
  assert.equal(renders, 0)
  assert.equal(sender.occupied(), 0)
})

test('while a probe is under way its backlog waits in the sender, and goes in order when the probe succeeds', async () => {
  const probe = Promise.withResolvers<Outcome>()
  let up = false
  const sender = setup({ send: () => (up ? probe.promise : Promise.resolve({ kind: 'retry', reason: 'down' })) })
  await sender.deliver(1, 2, 3)
  sender.settled()
  sender.sent.length = 0
  sender.clock.advance(30_000)
  up = true
  await sender.deliver(1, 2, 3)
  await sender.deliver(4)
  sender.clock.advance(5_000)
  await sender.pass()
  assert.deepEqual([sender.sent, sender.settled()], [[1], []])
  probe.resolve(SENT)
  await sender.pass()
  assert.deepEqual(sender.sent, [1, 2, 3, 4])
  assert.deepEqual(
    sender.verdicts().map(([, state]) => state),
    ['sent', 'sent', 'sent', 'sent'],
  )
})

test('when a probe fails its backlog goes to disk until the next one', async () => {
  const sender = setup({ send: async () => ({ kind: 'retry', reason: 'down' }) })
  await sender.deliver(1, 2, 3)
  sender.settled()
  sender.sent.length = 0
  sender.clock.advance(30_000)
  await sender.deliver(1, 2, 3)
  assert.deepEqual([sender.sent, sender.occupied()], [[1], 0])
  const later = sender.settled().filter(({ attempt }) => attempt === undefined)
  assert.deepEqual(
    later.map(({ verdict }) => verdict.state === 'pending' && verdict.at - sender.clock.now() >= 30_000),
    [true, true],
  )
})

test('paused, it releases deliveries that are not on the wire or still come; resumed, it sends again', async () => {
  const sender = setup({ rate: { perSecond: 1, burst: 1 } })
  await sender.deliver(1, 2)
  await sender.tell({ kind: 'pause', paused: true })
  await sender.deliver(3)
  assert.deepEqual(sender.verdicts(), [
    [1, 'sent'],
    [2, 'released'],
    [3, 'released'],
  ])
  await sender.tell({ kind: 'pause', paused: false })
  sender.clock.advance(1_000)
  await sender.deliver(4)
  assert.deepEqual(sender.sent, [1, 4])
})

test('deliveries of a lost storage spend no tokens of the rate', async () => {
  const sender = setup({ rate: { perSecond: 1, burst: 1 } })
  await sender.deliver(1, 2, 3, 4)
  await sender.tell({ kind: 'peer', up: false })
  assert.equal(sender.occupied(), 0)
  await sender.deliver(2)
  sender.clock.advance(1_000)
  await sender.pass()
  assert.deepEqual(sender.sent, [1, 2])
})

test('drained while a provider hangs and a template runs: deliveries are released, the send ends with an unknown outcome', async () => {
  const hung = Promise.withResolvers<void>()
  const sender = setup({
    render: (count) => (count === 2 ? hung.promise : Promise.resolve()),
    send: (_message, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'retry', reason: 'no answer', mayDuplicate: true }))
      }),
  })
  await sender.deliver(1)
  await sender.deliver(2, 3)
  const drained = sender.cell.drain()
  await sender.pass()
  assert.deepEqual(sender.verdicts(), [
    [2, 'released'],
    [3, 'released'],
  ])
  sender.clock.advance(4_000)
  await sender.pass()
  assert.deepEqual(sender.verdicts(), [[1, 'pending']])
  await drained
  await sender.deliver(4)
  assert.deepEqual(sender.verdicts(), [[4, 'released']])
  hung.resolve()
  await sender.pass()
  assert.equal(sender.occupied(), 0)
})

test('the error of a template is in the record of the attempt', async () => {
  const sender = setup({ rendered: { failure: 'template_failed: line 3' } })
  await sender.deliver(1)
  assert.equal(sender.settled()[0]?.attempt?.renderFailure, 'template_failed: line 3')
})

test('no send begins while the replica may not, and all begin in order once it may', async () => {
  const sender = setup({ concurrency: 2 })
  sender.leads.now = false
  await sender.deliver(1, 2, 3)
  sender.clock.advance(1_000)
  await sender.pass()
  assert.deepEqual([sender.sent, sender.occupied()], [[], 3])
  sender.leads.now = true
  sender.clock.advance(100)
  await sender.pass()
  assert.deepEqual(sender.sent, [1, 2, 3])
})

test('what waits for the lease is released at the end', async () => {
  const sender = setup({})
  sender.leads.now = false
  await sender.deliver(1, 2)
  const drained = sender.cell.drain()
  await sender.pass()
  assert.deepEqual(sender.verdicts(), [
    [1, 'released'],
    [2, 'released'],
  ])
  await drained
  assert.deepEqual(sender.sent, [])
})

test('a dispatch that edits goes to the edit of its channel, and the outcome is settled as of a message', async () => {
  const edits: [string, string][] = []
  const sender = setup({
    edit: async ({ incidentId }, messageId) => {
      edits.push([incidentId, messageId])
      return { kind: 'sent', messageId }
    },
  })
  await sender.deliverEdit('m-1', 1)
  assert.deepEqual([edits, sender.sent], [[['1', 'm-1']], []])
  assert.equal(sender.settled()[0]?.attempt?.messageId, 'm-1')
})

test('an edit of a message that is gone is pending at once, and its attempt says so', async () => {
  const withEdit = setup({ edit: async () => ({ kind: 'gone', reason: 'message_not_found' }) })
  const without = setup({})
  for (const sender of [withEdit, without]) {
    await sender.deliverEdit('m-1', 1)
    const [settlement] = sender.settled()
    assert.deepEqual(settlement?.verdict, { state: 'pending', at: sender.clock.now() })
    assert.equal(settlement?.attempt?.outcome, 'gone')
    assert.equal(settlement?.attempt?.mayDuplicate, false)
  }
})

test('messages and edits share the rate of their destination', async () => {
  const sender = setup({ rate: { perSecond: 1, burst: 2 }, edit: async () => SENT })
  await sender.deliver(1)
  await sender.deliverEdit('m-1', 2)
  await sender.deliver(3)
  assert.deepEqual(sender.verdicts(), [
    [1, 'sent'],
    [2, 'sent'],
  ])
  sender.clock.advance(1_000)
  await sender.pass()
  assert.deepEqual(sender.verdicts(), [[3, 'sent']])
})
