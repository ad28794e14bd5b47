import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/store/store.ts'
import { draft, START, StoreRig } from '../support.ts'

const lastOf = ({ channels }: Store) =>
  Object.entries(channels.health()).map(([name, { lastSentAt, lastError }]) => ({ name, lastSentAt, lastError }))

test('the opening knows the last success and failure of each channel, also of its other destinations', (t) => {
  const rig = new StoreRig(t)
  const send = (target: string | undefined, outcome: 'sent' | 'dead', startedAt: number) => {
    const overrides = target === undefined ? {} : { targets: { chatws: target } }
    for (const dispatch of rig.commit({ drafts: [draft()], overrides }, ['chatws']).dispatches)
      rig.settle(dispatch, outcome === 'sent' ? { state: 'sent' } : { state: 'dead', reason: 'no' }, { startedAt })
  }
  send(undefined, 'dead', START + 1_000)
  send('ops', 'sent', START + 2_000)
  send(undefined, 'sent', START + 3_000)
  send('ops', 'dead', START + 4_000)
  send('night', 'sent', START + 5_000)
  const before = lastOf(rig.store)
  assert.deepEqual(before[0]?.lastError?.at, START + 4_020)
  rig.reopen()
  assert.deepEqual(lastOf(rig.store), before)
})
