import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatsLine } from '../../src/domain/repeats.ts'

const at = (time: string) => Date.parse(`2026-11-23T${time}:00Z`)

test('the line of repeats says their number, and since when or for how long the problem fired', () => {
  const open = { count: 1_400, since: at('03:12'), until: at('03:40'), over: false }
  assert.equal(repeatsLine(open), '🔁 ×1,400 since 03:12 UTC, last 03:40 UTC')
  assert.equal(
    repeatsLine({ ...open, since: at('03:12') - 86_400_000 }),
    '🔁 ×1,400 since 2026-11-22 03:12 UTC, last 03:40 UTC',
  )
  assert.equal(repeatsLine({ ...open, count: 14, over: true }), '🔁 ×14, fired for 28 min')
  assert.equal(repeatsLine({ ...open, count: 1, until: at('03:13'), over: true }), '🔁 fired for 60 s')
  assert.equal(repeatsLine({ ...open, count: 2, until: at('09:12'), over: true }), '🔁 ×2, fired for 6 h')
})

test('the line of a problem that flaps says how often it changed, and in the end its state', () => {
  const flapping = { firing: 1_007, resolved: 6, state: 'resolved' } as const
  const lasts = { count: 1_013, since: at('03:12'), until: at('03:40'), over: false, flapping }
  assert.equal(repeatsLine(lasts), '🔁 flapping: fired ×1,007, resolved ×6 since 03:12 UTC, last 03:40 UTC')
  assert.equal(
    repeatsLine({ ...lasts, over: true }),
    '🔁 flapping is over, resolved: fired ×1,007, resolved ×6 in 28 min',
  )
  const firing = { ...lasts, over: true, flapping: { ...flapping, state: 'firing' } } as const
  assert.match(repeatsLine(firing), /^🔁 flapping is over, still firing: /)
})
