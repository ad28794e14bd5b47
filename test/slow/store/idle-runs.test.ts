import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINUTE, OncallRig, rulesOf } from '../../store/oncall/rig.ts'
import { draft, StoreRig } from '../../store/support.ts'

const RUNS = 2_000

function untilIdle(rig: OncallRig): void {
  for (let minute = 0; minute < 12; minute++) {
    do rig.told()
    while (rig.store.outbox.nextDueAt('any') <= rig.now)
    rig.now += MINUTE
  }
}

test('2,000 open runs cost no statement a turn while none is due, and few when the store opens', (t) => {
  const rules = rulesOf({
    steps: [
      { afterMs: 0, notify: [{ kind: 'person', name: 'ada' }] },
      { afterMs: 7 * 24 * 60 * MINUTE, notify: [{ kind: 'person', name: 'ben' }] },
    ],
  })
  const rig = new OncallRig(t, rules, { maxIncidents: 2 * RUNS })
  const drafts = Array.from({ length: RUNS }, (_, nth) => draft({ fingerprint: `custom:${nth}` }))
  rig.commit({ drafts })
  untilIdle(rig)
  assert.equal(rig.store.oncallRuns?.list().open, RUNS)
  const opening = rig.statements(() => rig.reopen())
  assert.ok(opening < RUNS / 4, `${opening} statements`)
  untilIdle(rig)
  const turns = (each: StoreRig) =>
    each.statements(() => {
      for (let nth = 0; nth < 100; nth++) each.turn({})
    })
  const other = new StoreRig(t)
  other.turn({})
  assert.equal(turns(rig), turns(other))
})
