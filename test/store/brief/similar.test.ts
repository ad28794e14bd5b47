import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '../support.ts'
import { BriefRig, sectionsOf } from './rig.ts'

const title = 'Card declines in Berlin'
const contentOf = (labels: object) => Buffer.from(JSON.stringify({ alerts: [{ labels }] }))

test('label pairs of the incident that began an opening count', async (t) => {
  const rig = new BriefRig(t)
  rig.arrive({ fingerprint: 'a', title, content: contentOf({ team: 'pay', alertname: 'Declines' }) })
  rig.arrive({ fingerprint: 'b', title, content: contentOf({ team: 'ops', alertname: 'Other' }) })
  rig.arrive({ fingerprint: 'c', title, content: contentOf({ team: 'pay', alertname: 'Declines' }) })
  rig.store.brief?.readWords(64)
  const brief = await sectionsOf(rig.store, 3)
  assert.deepEqual(
    brief?.similar?.map(({ problem, score }) => [problem, score]),
    [
      [1, 1],
      [2, 0.85],
    ],
  )
})

test('a turn reads payloads of 256 KiB at most, and of a larger one the title alone', async (t) => {
  const rig = new BriefRig(t)
  const padded = (bytes: number, labels: object) =>
    Buffer.from(JSON.stringify({ alerts: [{ labels }], filling: 'x'.repeat(bytes) }))
  rig.arrive({ fingerprint: 'a', title, content: padded(300_000, { team: 'pay' }) })
  rig.arrive({ fingerprint: 'b', title, content: padded(200_000, { team: 'pay' }) })
  rig.arrive({ fingerprint: 'c', title, content: padded(200_000, { team: 'pay' }) })
  rig.arrive({ fingerprint: 'd', title, content: padded(10, { team: 'pay' }) })
  assert.deepEqual(
    [1, 2, 3].map(() => rig.store.brief?.readWords(64)),
    [64, 64, 1],
  )
  assert.deepEqual(
    (await sectionsOf(rig.store, 4))?.similar?.map(({ problem, score }) => [problem, score < 1]),
    [
      [3, false],
      [2, false],
      [1, true],
    ],
  )
})

test('openings that were deleted leave room for those that are kept', async (t) => {
  const rig = new BriefRig(t, 3)
  rig.arrive({ fingerprint: 'kept', title, service: 'bank' })
  for (let nth = 0; nth < 12; nth++) {
    rig.arrive({ fingerprint: `gone ${nth}`, title })
    rig.arrive({ fingerprint: `gone ${nth}`, status: 'resolved' })
  }
  rig.arrive({ fingerprint: 'asked', title })
  rig.store.brief?.readWords(64)
  /** The 26th incident began it. */
  const asked = 26
  const similar = async () => (await sectionsOf(rig.store, asked))?.similar?.length
  assert.equal(await similar(), 5)
  assert.throws(() => rig.failingAtCommit(() => rig.store.maintenance.prune(100)), withCode('storage_down'))
  assert.equal(await similar(), 5, 'memory forgot what a failed transaction had deleted')
  rig.store.maintenance.prune(100)
  assert.equal(rig.store.brief?.stored(), 3)
  const brief = await sectionsOf(rig.store, asked)
  assert.deepEqual(
    brief?.similar?.map(({ service }) => service),
    ['pay', 'bank'],
  )
})
