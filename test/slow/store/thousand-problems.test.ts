import assert from 'node:assert/strict'
import { test } from 'node:test'
import { given, send, viaOf } from '../../store/noise/groups/rig.ts'
import { draft } from '../../store/support.ts'

const PROBLEMS = 1_000
const STEP_MS = 60

test('a thousand problems in a minute, at a chat of one message a second: the first at once, all within 15 s', (t) => {
  const rig = given(t)
  const committed: number[] = []
  const waits: number[] = []
  const posts: number[] = []
  let [sentAt, digest] = [-Infinity, 0]
  const start = rig.now
  while (waits.length < PROBLEMS - 1) {
    assert.ok(rig.now - start < 120_000, `${waits.length} after ${rig.now - start} ms`)
    if (committed.length < PROBLEMS) {
      const host = `h${committed.length}`
      const one = draft({ service: 'db', fingerprint: host, title: host, severity: 'warning', createdAt: rig.now })
      rig.commit({ drafts: [one] })
      committed.push(rig.now)
      if (committed.length === 2) digest = viaOf(rig, one.id)?.digest ?? 0
    }
    if (rig.now - sentAt >= 1_000) {
      const sent = send(rig)
      for (const message of sent) if (message.edits === undefined) posts.push(rig.now - start)
      if (sent.length > 0) sentAt = rig.now
      const { notified = 0 } = rig.store.noise.digest(digest) ?? {}
      while (waits.length < notified) waits.push(rig.now - (committed[waits.length + 1] ?? 0))
    }
    rig.now += STEP_MS
  }
  assert.deepEqual(posts, [0], 'one message, and edits of it')
  assert.ok(Math.max(...waits) <= 15_000, `${Math.max(...waits)} ms`)
})
