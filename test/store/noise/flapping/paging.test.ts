import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fire, HOUR, MINUTE, resolve } from '../repeats/rig.ts'
import { flip, given, ONCALL, page } from './rig.ts'

test('a page that a person took does not stand for a louder severity whose own page was cancelled', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const ids = flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  rig.store.operator.acknowledge(ids.at(-1) ?? '', 'Ada')
  assert.deepEqual(page(rig), ['acknowledge'])
  const louder = fire(rig, { severity: 'critical' })
  rig.now += MINUTE
  resolve(rig)
  assert.equal(rig.detail(louder).oncall?.state, 'resolved')
  assert.equal(rig.detail(fire(rig)).oncall?.state, 'joined', 'a warning again')
  const again = fire(rig, { severity: 'critical' })
  assert.equal(rig.detail(again).oncall?.state, 'armed')
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  assert.equal(rig.detail(fire(rig, { severity: 'critical' })).oncall?.state, 'joined')
})

test('a page of a group stands for the alerts that it told of, together with the other open pages', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const group = (members: string[], status: 'firing' | 'resolved' = 'firing') =>
    fire(rig, { sender: 'grouped_alerts', members, status })
  for (let n = 0; n < 7; n++) {
    rig.now += 3_000
    group(['a'], n % 2 === 0 ? 'firing' : 'resolved')
  }
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  const both = group(['a', 'b'])
  assert.equal(rig.detail(both).oncall?.state, 'armed')
  rig.now += MINUTE
  group([], 'resolved')
  assert.equal(rig.detail(both).oncall?.state, 'resolved')
  assert.equal(rig.detail(group(['a'])).oncall?.state, 'joined')
  assert.equal(rig.detail(group(['b'])).oncall?.state, 'armed')
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  assert.equal(rig.detail(group(['a', 'b'])).oncall?.state, 'joined')
})

test('a page stands for the incidents of four hours, however long the problem flaps', (t) => {
  const rig = given(t, { oncall: ONCALL })
  flip(rig, 7)
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  const pagedAt = rig.now
  const later: number[] = []
  while (rig.now < pagedAt + 5 * HOUR) {
    const last = flip(rig, 2, { from: 'resolved', everyMs: 5 * MINUTE }).at(-1) ?? ''
    assert.equal(rig.detail(last).deliveries[0]?.via?.kind, 'flapping')
    rig.now += 2 * MINUTE
    if (page(rig).length > 0) later.push(Math.floor((rig.now - pagedAt) / HOUR))
  }
  assert.deepEqual(later, [4])
})

test('a person who takes an incident that joined takes the page that stands for it', (t) => {
  const rig = given(t, { oncall: ONCALL })
  const paged = flip(rig, 7).at(-1) ?? ''
  rig.now += 2 * MINUTE
  assert.deepEqual(page(rig), ['trigger'])
  resolve(rig)
  const joined = fire(rig)
  assert.equal(rig.detail(joined).oncall?.state, 'joined')
  const taken = rig.store.operator.acknowledge(joined, 'Ada')
  assert.deepEqual(
    taken.kind === 'acknowledged' && taken.oncall.map(({ effects, by }) => [effects, by]),
    Array(2).fill([[{ kind: 'announce', action: 'acknowledged' }], 'Ada']),
  )
  assert.deepEqual(page(rig), ['acknowledge'])
  assert.equal(rig.detail(paged).oncall?.state, 'acknowledged')
  assert.equal(rig.store.operator.acknowledge(paged, 'Bob').kind, 'already')
})
