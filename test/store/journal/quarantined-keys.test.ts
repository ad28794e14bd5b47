import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { decodeFrame } from '../../../actors/store/decode-frame.ts'
import { encodeFrame, sealFrame } from '../../../src/domain/frame.ts'
import type { Payload } from '../../../src/domain/incident.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { openStore } from '../database.ts'
import { freshDir, roomAt, START, turn } from '../support.ts'

const LIMITS = { channels: ['chatws'], maxIncidents: 100, maxBacklog: 100 } as const
const BODIES = [{ n: 1 }, { n: 2 }].map((body) => Buffer.from(JSON.stringify(body)))

/** One request of two incidents under the key K. */
function requestAt(first: number, committedAt = START): Uint8Array<ArrayBuffer> {
  const lengths = BODIES.map(({ length }) => length)
  const columns = { receivedAt: [START], counts: [2], lengths, options: [[0, { key: 'K' }] as const] }
  const frame = encodeFrame(columns, Buffer.concat(BODIES))
  const idPrefix = Buffer.from('01890000000070008000', 'hex')
  sealFrame(frame, { first, life: 1, committedAt, idPrefix, leads: true }, crc32)
  return frame
}

test('a request keeps its key when its first incident goes to quarantine', (t) => {
  const store = openStore({ dataDir: freshDir(t), ...LIMITS, now: () => START })
  t.after(() => store.close())
  const failing = (payload: Payload) => {
    if (payload.n === 1) throw new Error('a bug')
    return recognise(payload)
  }
  const entries = decodeFrame(requestAt(1), { first: 1, last: 2 }, failing)
  const { dispatches, quarantined } = turn(store, { entries, capacity: roomAt('chatws') })
  assert.deepEqual([dispatches.map(({ incident }) => incident), quarantined.map(({ first }) => first)], [[2], [1]])
  assert.deepEqual(store.journal.findKeys(['K']), ['01890000-0000-7000-8000-000000000001'])
})

test('an incident that leaves the quarantine late takes its key from no newer one', (t) => {
  const dataDir = freshDir(t)
  let now = START
  const open = () => openStore({ dataDir, ...LIMITS, now: () => now })
  const first = open()
  const failing = () => {
    throw new Error('a bug')
  }
  turn(first, { entries: decodeFrame(requestAt(1), { first: 1, last: 2 }, failing) })
  now += 25 * 3_600_000
  assert.deepEqual(first.journal.findKeys(['K']), [null])
  turn(first, { entries: decodeFrame(requestAt(3, now), { first: 3, last: 4 }, recognise) })
  const newer = ['01890000-0000-7000-8000-000000000003']
  assert.deepEqual(first.journal.findKeys(['K']), newer)
  first.close()
  const again = open()
  t.after(() => again.close())
  const quarantined = again.journal.nextQuarantined() ?? assert.fail('the quarantine is empty')
  assert.ok(again.journal.retry(quarantined, decodeFrame(quarantined.frame, quarantined, recognise)))
  assert.deepEqual(again.journal.findKeys(['K']), newer)
})
