import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { draft, entriesFor, StoreRig } from '../store/support.ts'

const SLOW = { perSecond: 0.2, burst: 1 }
const STORMS = { chatws: { enable: true, rate: SLOW, reading: SLOW, withinMs: 60_000, edits: true } }
const HOUR_MS = 3_600_000
/** More than a destination of this rate can take: the storm begins with them. */
const FLOOD = 6

const arrival = fc.record({
  pauseMs: fc.integer({ min: 0, max: 15_000 }),
  jumpMs: fc.constantFrom(0, 0, 0, -HOUR_MS, -5_000, 5_000, HOUR_MS),
  count: fc.integer({ min: 1, max: 2 }),
  problem: fc.integer({ min: 0, max: 30 }),
  isUrgent: fc.boolean(),
  isClaimed: fc.boolean(),
  isReopened: fc.constantFrom(false, false, true),
})

/** Runs whose clock was set back while singles of the storm waited that became places later. */
let absorbed = 0

test('however the clock is set, a digest counts each incident of its storm once, in a place or as a single', () => {
  const property = fc.property(fc.array(arrival, { minLength: 4, maxLength: 12 }), (arrivals) => {
    const cleaning: (() => void)[] = []
    const rig = new StoreRig({ after: (clean) => void cleaning.push(clean) }, { channels: ['chatws'], storms: STORMS })
    try {
      let committed = 0
      const commit = (count: number, of: { fingerprint: string; severity: string }, clockJumpMs = 0) => {
        const drafts = Array.from({ length: count }, () => draft(of))
        committed += count
        rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now), clockJumpMs })
      }
      commit(FLOOD, { fingerprint: 'flood', severity: 'warning' })
      for (const { pauseMs, jumpMs, count, problem, isUrgent, isClaimed, isReopened } of arrivals) {
        rig.now += pauseMs + jumpMs
        if (isReopened && jumpMs < 0) rig.reopen()
        const severity = isUrgent ? 'critical' : 'warning'
        commit(count, { fingerprint: `f${problem}`, severity }, isReopened && jumpMs < 0 ? 0 : jumpMs)
        if (isClaimed) for (const one of rig.claim('chatws', 1)) rig.settle(one, { state: 'sent' }, { messageId: 'm' })
        const digest = rig.store.noise.digest(1)
        assert.ok(digest)
        const listed = digest.problem_list.reduce((sum, each) => sum + each.firing + each.resolved + each.by_message, 0)
        assert.equal(listed, committed)
        if (jumpMs < 0 && digest.incidents > 0 && digest.by_message > 0) absorbed++
      }
    } finally {
      for (const clean of cleaning.toReversed()) clean()
    }
  })
  fc.assert(property, { seed: 20_300_101, numRuns: 40, includeErrorInReport: true })
  assert.ok(absorbed > 20, `${absorbed} runs`)
})
