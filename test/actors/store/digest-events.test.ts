import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt } from '../../../src/domain/delivery.ts'
import { StorageRig } from './storage-rig.ts'

test('a digest is announced when it opens, with each told revision, and when its storm is over', (t) => {
  const changes = { storms: { chatws: STORM } }
  const [watched, unwatched] = [new StorageRig(t, changes), new StorageRig(t, changes)]
  watched.subscribed = true
  for (const storage of [watched, unwatched]) {
    storage.commit(30)
    for (let second = 0; second < 300; second++) {
      storage.clock.advance(1_000)
      for (const { dispatch } of storage.senders.get('chatws')?.take(64).messages ?? [])
        storage.tell({
          kind: 'settle',
          settlement: { ...dispatch, verdict: { state: 'sent' }, attempt: SENT },
        })
    }
  }
  const digests = watched.published.flatMap((event) => (event.kind === 'digest' ? [event] : []))
  const [opened, told, ...later] = digests
  assert.deepEqual([opened?.action, opened?.revision, opened?.told], ['opened', null, 0])
  assert.deepEqual([told?.action, told?.revision, told?.way], ['told', 1, 'post'])
  assert.ok(told && told.folded > 0 && told.told === told.folded, JSON.stringify(told))
  assert.equal(later.at(-1)?.action, 'over')
  assert.deepEqual(unwatched.published, [])
})

const STORM = {
  enable: true,
  rate: { perSecond: 1, burst: 4 },
  reading: { perSecond: 1, burst: 4 },
  withinMs: 60_000,
  edits: true,
}

const SENT: Attempt = {
  number: 1,
  startedAt: 1,
  durationMs: 5,
  outcome: 'sent',
  detail: '',
  mayDuplicate: false,
  dispatchedAt: 1,
  renderMs: 0,
  limiterWaitMs: 0,
}
