import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cell } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Numbered, Route } from './fixtures/relays-in-random-order.ts'
import { freesAtRandom } from './support/random.ts'
import { supervise } from './support/threads.ts'

const MESSAGES = 1_500
const EDGES: Route['edges'] = [
  { name: 'narrow', window: 3, batch: 2 },
  { name: 'middle', window: 64, batch: 100 },
  { name: 'wide', window: 1_000, batch: 7 },
]
const route = (from: string, to: string, seed: number) => (): Route => ({ from, to, seed, edges: EDGES })

/** main -> left -> right -> main, with three edges between two threads. */
const ring = [
  { name: 'left', fixture: 'relays-in-random-order.ts', peers: ['right'], boot: route('main', 'right', 1) },
  { name: 'right', fixture: 'relays-in-random-order.ts', boot: route('left', 'main', 2) },
]

type Threads = ReturnType<typeof supervise>

/** Sends messages whenever there is room. */
function pump(threads: Threads, { name, window }: Route['edges'][number]): void {
  const out = threads.link('left').outlet<Numbered>(name, window)
  let next = 0
  const tellAll = () => {
    while (next < MESSAGES && out.room > 0) {
      assert.ok(out.outstanding < window)
      out.tell({ kind: 'numbered', n: next++ })
    }
    if (next < MESSAGES) out.whenRoom(tellAll)
  }
  tellAll()
}

/** Resolves with the received numbers when all have come back. */
function collect(threads: Threads, { name, window, batch }: Route['edges'][number]): Promise<number[]> {
  return new Promise((resolve) => {
    const freeLater = freesAtRandom(window)
    const received: number[] = []
    const cell = new Cell<Numbered>(
      {
        name,
        mailbox: { capacity: window },
        batch,
        slots: 'held',
        build: () => ({
          receive(messages, slots) {
            for (const slot of slots) freeLater(slot as Slot)
            received.push(...messages.map(({ n }) => n))
            if (received.length >= MESSAGES) resolve(received)
          },
        }),
      },
      { clock: systemClock, scheduler: threads.scheduler, report: { failed: assert.fail, deadLetter: assert.fail } },
    )
    threads.link('right').inlet(name, cell.mailbox)
  })
}

test('over threads and edges of any window, all messages arrive once and in order, never above the window', async (t) => {
  const threads = supervise(t, ring)
  const collected = EDGES.map((edge) => collect(threads, edge))
  await threads.supervisor.start()
  for (const edge of EDGES) pump(threads, edge)
  const expected = Array.from({ length: MESSAGES }, (_, n) => n)
  const died = Promise.race(ring.map(({ name }) => threads.journal.read(`${name} down 100`))).then(() =>
    assert.fail(threads.errors[0]),
  )
  for (const received of await Promise.race([Promise.all(collected), died])) assert.deepEqual(received, expected)
  for (const name of ['left', 'right']) {
    const { links } = await threads.supervisor.status(name, 60_000)
    for (const { misdirected, unsendable, lateFrames, framesPosted, tellsPosted } of Object.values(links)) {
      assert.deepEqual({ misdirected, unsendable, lateFrames }, { misdirected: 0, unsendable: 0, lateFrames: 0 })
      assert.ok(framesPosted > 0 && tellsPosted <= EDGES.length * MESSAGES)
    }
  }
  assert.deepEqual(threads.journal.written.toSorted(), ['left up 0', 'right up 0'])
})
