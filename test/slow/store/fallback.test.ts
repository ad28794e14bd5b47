import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERY_NTH, openDatabase, openStore } from '../../store/database.ts'
import { Faults } from '../../store/faults.ts'
import { draft, entriesFor, roomAt, StoreRig, settlement, turn } from '../../store/support.ts'

const DEAD = { state: 'dead', reason: 'channel_not_found' } as const

test('a disk that fails at any statement places everything once', (t) => {
  for (let at = 0; ; at += EVERY_NTH) {
    const rig = new StoreRig(t, {
      channels: ['chatws', 'email'],
      fallbacks: { destinations: { chatws: { channel: 'email' } }, afterMs: 120_000 },
      decide: () => ({ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [] }),
    })
    const drafts = Array.from({ length: 5 }, () => draft())
    rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
    const settlements = rig.claim('chatws').map((one) => settlement(one, DEAD))
    rig.store.close()
    const faults = new Faults()
    const db = openDatabase(rig.options.dataDir, faults)
    const store = openStore(rig.options, db)
    const claimed = turn(store, { capacity: roomAt('chatws') }).dispatches
    assert.equal(claimed.length, settlements.length)
    const work = { settlements: claimed.map((one) => settlement(one, DEAD)) }
    let failed = false
    faults.during(
      at,
      () =>
        assert.doesNotThrow(() => {
          try {
            turn(store, work)
          } catch {}
        }),
      () => {
        failed = true
      },
    )
    store.close()
    rig.reopen()
    if (failed) {
      const again = rig.claim('chatws')
      assert.equal(again.length, drafts.length)
      for (const one of again) {
        assert.equal(one.mayDuplicate, true)
        rig.settle(one, DEAD)
      }
    }
    assert.equal(rig.claim('email').length, drafts.length)
    if (!failed) return
  }
})
