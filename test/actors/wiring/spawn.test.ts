import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PEER_WINDOW, type PeerMail } from '../../../actors/messages/peer.ts'
import { createSpawn } from '../../../actors/wiring/spawn.ts'
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
