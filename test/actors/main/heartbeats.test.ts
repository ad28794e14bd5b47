import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createHeartbeats } from '../../../actors/main/heartbeats.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

test('a ping that ends behind a reload without heartbeats is looked at once', async () => {
  let asked = 0
  const clock = new ManualClock()
  const heartbeats = createHeartbeats({
    askStorage: (async () => {
      asked++
      return []
    }) as never,
    submit: () => assert.fail('nothing is owed'),
    clock,
    log: {} as never,
    heartbeats: () => [],
  })
  heartbeats.look()
  await nextTurn()
  heartbeats.look()
  await nextTurn()
  assert.equal(asked, 1)
  heartbeats.close()
})
