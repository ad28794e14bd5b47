import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatsLine } from '../../../../src/domain/repeats.ts'
import { draft, entryOf } from '../../support.ts'
import { FOLD, fire, HOUR, MINUTE, repeat, resolve, send, stateOf, statesOf } from '../repeats/rig.ts'
import { flip, given, lines, untilOver } from './rig.ts'

test('from the fifth quick change on one message tells of all, which is edited at most once a minute', (t) => {
  const rig = given(t)
  const before = flip(rig, 5)
  for (const id of before) assert.equal(rig.detail(id).deliveries[0]?.via, null, 'a message of its own')
  rig.now += 3_000
  const fifth = resolve(rig)
  assert.equal(stateOf(rig, fifth), 'folded')
  const [begun, ...none] = lines(rig)
  assert.deepEqual(none, [])
  assert.match(begun ?? '', /^post 🔁 flapping: fired ×0, resolved ×1 since /)
  assert.equal(stateOf(rig, fifth), 'sent')
  const { via } = rig.detail(fifth).deliveries[0] ?? {}
  assert.deepEqual([via?.kind, via?.place, via?.update], ['flapping', 1, 1])
  const more = Array.from({ length: 6 }, (_, n) => {
    rig.now += 5_000
    return n % 2 === 0 ? fire(rig) : resolve(rig)
  })
  assert.deepEqual(statesOf(rig, more), Array(6).fill('folded'))
  assert.deepEqual(lines(rig), [], 'the minute is not over')
  rig.now += 30_000
  const [edit, ...others] = lines(rig)
  assert.match(edit ?? '', /^edit 🔁 flapping: fired ×3, resolved ×4 since /)
  assert.deepEqual(others, [])
  assert.deepEqual(statesOf(rig, more), Array(6).fill('sent'))
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
  assert.deepEqual(rig.turn({}).flapped, {}, 'each place is counted once')
  assert.equal(rig.store.noise.digest(via?.digest ?? 0)?.kind, 'flapping')
})

test('when it is over, one message says the final state and the numbers', (t) => {
  const rig = given(t)
  flip(rig, 12)
  assert.deepEqual(lines(rig), [])
  rig.now += 2 * MINUTE
  assert.match(lines(rig)[0] ?? '', /^edit /)
  assert.equal(rig.store.outbox.nextDueAt('any') > rig.now + 28 * MINUTE, true)
  untilOver(rig)
  const [over, ...none] = lines(rig)
  assert.match(over ?? '', /^post 🔁 flapping is over, resolved: fired ×3, resolved ×4 in \d+ s$/)
  assert.deepEqual(none, [])
  rig.now += 2 * HOUR
  assert.deepEqual(lines(rig), [])
  const again = fire(rig)
  assert.equal(rig.detail(again).deliveries[0]?.via, null, 'it is told like any other')
  assert.equal(send(rig).length, 1)
})

test('what was not told yet is told by the message of the end, and repeats go on where they are folded', (t) => {
  const rig = given(t, { repeats: FOLD, channels: ['email'] })
  flip(rig, 6, { channel: 'email' })
  const fires = repeat(rig, 3)
  assert.deepEqual(statesOf(rig, fires), Array(3).fill('folded'))
  untilOver(rig)
  const [last] = lines(rig, 'email')
  assert.match(last ?? '', /^post 🔁 flapping is over, still firing: fired ×3, resolved ×1 in /)
  assert.deepEqual(statesOf(rig, fires), Array(3).fill('sent'))
  const next = repeat(rig, 1)
  assert.deepEqual(statesOf(rig, next), ['folded'])
  const end = resolve(rig)
  send(rig, 'email')
  assert.deepEqual(statesOf(rig, [...next, end]), ['sent', 'sent'])
})

test('the first message about a problem that flaps is due at once, also where messages cannot be edited', (t) => {
  const rig = given(t, { channels: ['chatws', 'email'] })
  for (let n = 0; n < 3; n++) {
    fire(rig)
    resolve(rig)
  }
  const due = [1, 2].map((number) => rig.store.noise.digest(number)?.next_update_at)
  assert.deepEqual(due, Array(2).fill(new Date(rig.now).toISOString()))
})

test('a digest that ends because digests were switched off keeps no other message back', (t) => {
  const rig = given(t)
  for (let n = 0; n < 40; n++) fire(rig, { fingerprint: `f${n}` })
  const { chatws } = rig.options.storms ?? {}
  assert(chatws)
  rig.reopen({ storms: { chatws: { ...chatws, enable: false } } })
  const ids = Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? fire(rig) : resolve(rig)))
  for (let n = 0; n < 3; n++) {
    send(rig)
    rig.now += 1_000
  }
  assert.deepEqual(statesOf(rig, ids), Array(8).fill('sent'))
})

test('where messages cannot be edited, there is a new one every ten minutes', (t) => {
  const rig = given(t, { channels: ['email'] })
  flip(rig, 6, { channel: 'email' })
  const began = rig.now
  const posts: number[] = []
  for (let n = 0; n < 40; n++) {
    rig.now += MINUTE
    if (n % 2 === 0) fire(rig)
    else resolve(rig)
    if (lines(rig, 'email').length > 0) posts.push((rig.now - began) / MINUTE)
  }
  assert.deepEqual(posts, [10, 20, 30, 40])
})

test('a louder severity is a message of its own', (t) => {
  const rig = given(t)
  flip(rig, 6)
  const louder = fire(rig, { severity: 'critical' })
  assert.equal(rig.detail(louder).deliveries[0]?.via, null)
  assert.equal(stateOf(rig, resolve(rig)), 'folded')
  assert.equal(stateOf(rig, fire(rig, { severity: 'critical' })), 'folded', 'it is no louder than the one before')
})

test('a message that is refused for good is a dead letter, and the next incident begins another one', (t) => {
  const rig = given(t)
  flip(rig, 5)
  const fifth = resolve(rig)
  rig.now += 3_000
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'dead', reason: 'channel_not_found' })
  rig.turn({})
  assert.equal(stateOf(rig, fifth), 'dead')
  rig.now += 3_000
  const next = fire(rig)
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping: fired ×1, resolved ×0/)
  assert.equal(stateOf(rig, next), 'sent')
  untilOver(rig)
  for (const one of rig.claim('chatws')) rig.settle(one, { state: 'dead', reason: 'channel_not_found' })
  rig.now += HOUR
  assert.deepEqual(lines(rig), [])
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('in a storm the digest tells of the incidents; the message of the end waits until it is over', (t) => {
  const rig = given(t, { channels: ['email'] })
  flip(rig, 7, { channel: 'email' })
  const flood = Array.from({ length: 100 }, (_, n) =>
    draft({ fingerprint: `x${n}`, severity: 'info', createdAt: rig.now }),
  )
  rig.commit({ drafts: flood })
  const inStorm = resolve(rig)
  assert.equal(rig.detail(inStorm).deliveries[0]?.via?.kind, 'storm')
  untilOver(rig)
  const said: string[] = []
  for (let n = 0; n < 200; n++) {
    rig.now += MINUTE
    said.push(...lines(rig, 'email'))
  }
  assert.equal(said.length, 1)
  assert.match(said[0] ?? '', /^post 🔁 flapping is over, resolved/)
  assert.equal(stateOf(rig, inStorm), 'sent')
  assert.equal(rig.store.status.counters().unfinishedDeliveries, 0)
})

test('it is over at the same time with a message that is on its way: then comes that of the end', (t) => {
  const rig = given(t)
  flip(rig, 9)
  rig.now += MINUTE
  const [edit] = rig.claim('chatws')
  assert(edit?.edits)
  untilOver(rig)
  rig.turn({})
  rig.settle(edit, { state: 'sent' })
  assert.match(lines(rig)[0] ?? '', /^post 🔁 flapping is over/)
  rig.now += HOUR
  assert.deepEqual(lines(rig), [])
})

test('an edit comes after ten minutes at the latest, however long the problem flaps', (t) => {
  const rig = given(t)
  flip(rig, 8)
  const began = rig.now
  let editedAt = 0
  let longest = 0
  while (rig.now < began + 24 * HOUR) {
    rig.now += 5 * MINUTE
    if (((rig.now - began) / (5 * MINUTE)) % 2 === 0) resolve(rig)
    else fire(rig)
    if (lines(rig).length === 0) continue
    if (editedAt > 0) longest = Math.max(longest, rig.now - editedAt)
    editedAt = rig.now
  }
  assert.equal(longest, 10 * MINUTE)
})

test('a backlog that is applied when its flapping is over is told like any other', (t) => {
  const rig = given(t)
  flip(rig, 3)
  const committedAt = rig.now
  let first = rig.store.status.counters().incidents + 1
  rig.now += 3 * HOUR
  const ids = Array.from({ length: 12 }, (_, n) => {
    const status = n % 2 === 0 ? 'resolved' : 'firing'
    const one = draft({ sender: 'error_tracker', fingerprint: 'db', createdAt: committedAt, status })
    rig.turn({ entries: [entryOf(first++, [{ drafts: [one] }], committedAt + n * 3_000)] })
    return one.id
  })
  for (const id of ids) assert.equal(rig.detail(id).deliveries[0]?.via, null)
  untilOver(rig)
  assert.deepEqual(lines(rig), [])
})

test('the end is told in the words of the problem when retention has deleted its incidents', (t) => {
  const rig = given(t, { maxIncidents: 3 })
  flip(rig, 12)
  rig.now += 2 * MINUTE
  lines(rig)
  for (let n = 0; n < 10; n++) {
    rig.commit({ drafts: [draft({ severity: 'info', createdAt: rig.now })] })
    rig.now += 10_000
    send(rig)
  }
  while (rig.store.maintenance.prune(100) > 0);
  assert.equal(rig.store.incidents.list({ q: 'Disk full', limit: 1 }).total, 0, 'retention left nothing of it')
  untilOver(rig)
  const [over, ...none] = send(rig)
  assert.deepEqual(none, [])
  assert.match(
    over?.repeats ? repeatsLine(over.repeats) : '',
    /^🔁 flapping is over, resolved: fired ×3, resolved ×4 in 18 s$/,
  )
  assert.deepEqual([over?.title, over?.status], ['Disk full', 'resolved'])
  assert.equal(JSON.parse(new TextDecoder().decode(over?.content)).title, 'Disk full')
  rig.now += HOUR
  assert.deepEqual(send(rig), [])
  assert.deepEqual(rig.store.noise.digests({ open: true, limit: 1 }).digests, [])
})
