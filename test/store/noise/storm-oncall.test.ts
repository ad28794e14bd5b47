import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { draft, entriesFor, StoreRig } from '../support.ts'

const CHAT = {
  enable: true,
  rate: { perSecond: 1, burst: 4 },
  reading: { perSecond: 1, burst: 4 },
  withinMs: 60_000,
  edits: true,
}
const MINUTE = 60_000

/** `waitsMs`: until the page of each incident in turn; the last one holds for all that follow. */
function given(t: TestContext, waitsMs: number[], changes: Partial<StoreOptions> = {}) {
  const wait = () => (waitsMs.length > 1 ? waitsMs.shift() : waitsMs[0]) ?? 0
  return new StoreRig(t, {
    channels: ['chatws'],
    storms: { chatws: CHAT },
    oncall: { enable: true, waitMs: MINUTE, provider: 'webhook' },
    decide: () => ({ destinations: [{ channel: 'chatws' }], priority: 'normal', rules: [], page: { waitMs: wait() } }),
    ...changes,
  })
}

function commit(rig: StoreRig, count: number, fingerprint: string): string[] {
  const drafts = Array.from({ length: count }, () => draft({ fingerprint }))
  rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
  return drafts.map(({ id }) => id)
}

test('an incident of a storm pages by itself when its problem was paged hours ago', (t) => {
  const rig = given(t, [MINUTE])
  const [before = ''] = commit(rig, 1, 'payments')
  rig.store.operator.acknowledge(before, 'Ada')
  rig.now += 5 * 60 * MINUTE
  commit(rig, 300, 'flood')
  const states = commit(rig, 3, 'payments').map((id) => rig.detail(id).oncall?.state)
  assert.deepEqual([...new Set(states.slice(-2))], ['joined'])
  assert(states.includes('armed'), states.join())
})

test('an incident of a storm joins no page that comes later than its own', (t) => {
  const rig = given(t, [...Array(300).fill(60 * MINUTE), MINUTE])
  commit(rig, 300, 'flood')
  const [sooner = '', same = ''] = commit(rig, 2, 'flood')
  assert.deepEqual([rig.detail(sooner).oncall?.state, rig.detail(same).oncall?.state], ['armed', 'joined'])
  rig.now += MINUTE
  assert.equal(rig.claimAll(['oncall']).dispatches.length, 1)
})

test('of many pages that nobody ended, an incident of a storm joins the newest', (t) => {
  const rig = given(t, [MINUTE])
  for (let nth = 0; nth < 80; nth++) {
    commit(rig, 1, 'payments')
    rig.finish('chatws')
    rig.now += 5 * MINUTE
  }
  commit(rig, 300, 'flood')
  const states = commit(rig, 3, 'payments').map((id) => rig.detail(id).oncall?.state)
  assert.deepEqual(states, ['joined', 'joined', 'joined'])
})

const REPEATS = { fold: { mode: 'fold', remindMs: 240 * MINUTE }, each: undefined } as const

for (const [mode, repeats] of Object.entries(REPEATS))
  for (const minutesBefore of [1, 60])
    test(`a warning is acknowledged, and ${minutesBefore} minutes later turns critical in a storm: it rings once, and is paged once (${mode})`, (t) => {
      const rig = given(t, [MINUTE], {
        ...(repeats && { repeats }),
        decide: ({ severity }) => ({
          destinations: [{ channel: 'chatws' }],
          priority: severity === 'critical' ? 'high' : 'normal',
          rules: [],
          ...(severity === 'info' ? {} : { page: { waitMs: MINUTE } }),
        }),
      })
      const arrive = (severity: string, status: 'firing' | 'resolved' = 'firing') => {
        const one = draft({ fingerprint: 'payments', severity, status, sender: 'error_tracker' })
        rig.turn({ entries: entriesFor(rig.store, [{ drafts: [one] }], rig.now) })
        return one.id
      }
      const shown = (id: string) => [rig.detail(id).deliveries[0]?.state, rig.detail(id).oncall?.state]
      rig.store.operator.acknowledge(arrive('warning'), 'Ada')
      rig.finish('chatws')
      rig.now += minutesBefore * MINUTE
      const drafts = Array.from({ length: 50 }, () => draft({ severity: 'info' }))
      rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })

      assert.deepEqual(shown(arrive('warning')), ['folded', 'joined'])
      assert.deepEqual(shown(arrive('critical')), ['pending', 'armed'])
      for (const severity of ['warning', 'critical', 'warning', 'critical'])
        assert.deepEqual(shown(arrive(severity)), ['folded', 'joined'], severity)
      rig.now += MINUTE
      assert.equal(rig.claimAll(['oncall']).dispatches.length, 1)
    })

test('a mass of problems that turn louder in a storm rings by messages of their own up to the bound, and in the digest', (t) => {
  const rig = given(t, [MINUTE], {
    decide: ({ severity }) => ({
      destinations: [{ channel: 'chatws' }],
      priority: severity === 'critical' ? 'high' : 'normal',
      rules: [],
    }),
  })
  const wave = (severity: string) => {
    const drafts = Array.from({ length: 300 }, (_, nth) => draft({ fingerprint: `p${nth}`, severity }))
    rig.turn({ entries: entriesFor(rig.store, [{ drafts }], rig.now) })
    return drafts.filter(({ id }) => rig.detail(id).deliveries[0]?.state !== 'folded').length
  }
  wave('warning')
  assert.deepEqual([wave('critical'), wave('warning'), wave('critical')], [2, 0, 0])
})

test('a trial joins a page in a storm as the incident does', (t) => {
  const rig = given(t, [MINUTE])
  const trial = (severity: string) => {
    const facts = { fingerprint: 'payments', severity, status: 'firing', sender: 'custom' } as const
    const asked = { destinations: [{ channel: 'chatws' }], priority: 'normal', page: { waitMs: MINUTE } } as const
    return rig.store.noise.tryRepeat({ ...facts, ...asked })?.joins ?? false
  }
  commit(rig, 1, 'payments')
  rig.now += MINUTE
  rig.claimAll(['oncall']).dispatches.forEach((page) => rig.settle(page, { state: 'sent' }))
  assert.equal(trial('critical'), false)
  commit(rig, 300, 'flood')
  commit(rig, 1, 'payments')
  assert.equal(trial('critical'), true)
  const [next = ''] = commit(rig, 1, 'payments')
  assert.equal(rig.detail(next).oncall?.state, 'joined')
})
