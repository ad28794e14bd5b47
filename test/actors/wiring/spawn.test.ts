import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { PEER_WINDOW, type PeerMail } from '../../../actors/messages/peer.ts'
import { openDestinationWarnings } from '../../../actors/wiring/parameter-warnings.ts'
import { repliesOver } from '../../../actors/wiring/replies-over.ts'
import { createSpawn } from '../../../actors/wiring/spawn.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import { Link } from '../../../src/kernel/link.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { ManualPort, manualScheduler } from '../../kernel/support/by-hand.ts'

test('an actor hears that a peer it watches started and ended, and of no other', () => {
  const { peer, other, received, passAll } = setup()
  connect(other)
  connect(peer)
  peer.detach()
  passAll()
  assert.deepEqual(received, [true, false])
})

test('a peer notice that finds no place is counted on its link', () => {
  const { cell, peer, received, passAll } = setup()
  for (let n = 0; n < PEER_WINDOW; n++) {
    connect(peer)
    peer.detach()
  }
  assert.equal(peer.counts.lostNotices, PEER_WINDOW)
  assert.equal(cell.status().refused, PEER_WINDOW)
  passAll()
  assert.equal(received.length, PEER_WINDOW)
})

test('a mailbox has places for its edges and for peer notices', () => {
  const { cell } = setup()
  assert.equal(cell.status().capacity, 3 + PEER_WINDOW)
})

function connect(link: Link): void {
  const [port] = ManualPort.channel()
  link.attach(port.port)
}

/** An actor that watches `peer` and takes messages of both links; `received` holds its notices. */
function setup() {
  const { scheduler, passAll } = manualScheduler()
  const report = { failed() {}, deadLetter() {} }
  const [peer, other] = [new Link('peer', scheduler), new Link('other', scheduler)]
  const received: boolean[] = []
  const { cell } = createSpawn({ clock: new ManualClock(), scheduler, report })<PeerMail>({
    name: 'watcher',
    places: 3,
    batch: 64,
    slots: 'auto',
    from: [peer, other],
    watch: [peer],
    build: () => ({ receive: (batch) => void received.push(...batch.map(({ up }) => up)) }),
  })
  return { cell, peer, other, received, passAll }
}

test('destinations beyond the bound are warned of once a minute, with the number of those left out', () => {
  let elapsed = 0
  const lines: unknown[] = []
  const log = { warn: (fields: object) => void lines.push(fields) }
  const warn = openDestinationWarnings({ log, clock: { elapsed: () => elapsed } as Clock })
  warn('chatws', 'one')
  warn('chatws', 'two')
  warn('email', 'three')
  elapsed = 60_000
  warn('chatws', 'four')
  assert.deepEqual(lines, [
    { channel: 'chatws', target: 'one' },
    { channel: 'chatws', target: 'four', notLogged: 2 },
  ])
})

/** Niceness of a thread of this process, from /proc. */
const nicenessOf = (thread: string) =>
  Number(readFileSync(`/proc/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])

test('a thread lowers its own priority, not that of the process', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has priorities of threads')
  const module = new URL('../../../actors/wiring/priority.ts', import.meta.url)
  const script = `
    import { parentPort } from 'node:worker_threads'
    import { readlinkSync } from 'node:fs'
    import { lowerPriority } from '${module}'
    lowerPriority()
    parentPort.postMessage(readlinkSync('/proc/thread-self'))
    parentPort.once('message', () => {})`
  const before = nicenessOf('self')
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
  const [thread] = await once(worker, 'message')
  const niceness = nicenessOf(thread)
  await worker.terminate()
  assert.deepEqual([niceness, nicenessOf('self')], [Math.min(19, before + 5), before])
})

test('replies to a thread that ended free their slots and do not reach its successor', () => {
  const { scheduler, passAll } = manualScheduler()
  const link = new Link('peer', scheduler)
  const connect = () => {
    const [near] = ManualPort.channel()
    link.attach(near.port)
  }
  const replies = repliesOver<{ readonly kind: string }>(link, 'asking', 1)
  const freed: string[] = []
  const reply = (kind: string) => replies.tell({ kind }, () => freed.push(kind))
  connect()
  reply('sent')
  reply('finds no room')
  assert.deepEqual(freed, ['sent'])
  link.detach()
  reply('finds no thread')
  const posted = link.counts.tellsPosted
  connect()
  passAll()
  assert.deepEqual(freed, ['sent', 'finds no room', 'finds no thread'])
  assert.equal(link.counts.tellsPosted, posted)
  reply('of the successor')
  passAll()
  assert.equal(link.counts.tellsPosted, posted + 1)
})
