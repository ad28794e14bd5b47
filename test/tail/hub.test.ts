import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivery, given, incident, incidents } from './setup.ts'

test('a client is said hello first, then told what happens from then on, with ids that sort', () => {
  const { join, tell, hub } = given()
  const { client } = join()
  tell(incident('a'), incident('b'))
  const [hello, first, second] = client.lines
  assert.deepEqual([hello?.kind, hello?.resumed, hello?.missed], ['hello', false, 0])
  assert.deepEqual(client.titles, ['a', 'b'])
  assert.ok(String(hello?.last_id) < String(first?.id) && String(first?.id) < String(second?.id))
  assert.ok(String(first?.id).startsWith(hub.ids.serverId))
})

test('clients with one filter are served by one publish', () => {
  const { join, tell, published } = given()
  const subscriptions = Array.from({ length: 20 }, () => join({ filter: { severities: ['critical'] } }))
  tell(incident('a'), incident('b', 'info'))
  assert.equal(published.length, 1)
  for (const { client } of subscriptions) assert.deepEqual(client.titles, ['a'])
})

test('a filter that is changed counts from the next event on', () => {
  const { join, tell } = given()
  const { client, subscription } = join({ filter: { kinds: ['delivery'] } })
  join()
  tell(incident('a'))
  subscription.refilter({ q: 'wanted' })
  tell(incident('b'), incident('the wanted one'), delivery('c'))
  assert.deepEqual(client.titles, ['the wanted one'])
})

test('a client that comes back is sent what it missed, and says so', () => {
  const { join, tell } = given()
  const first = join()
  tell(...incidents(2))
  const after = first.client.lines.at(-1)?.id ?? ''
  first.subscription.leave()
  tell(...incidents(3, 3))
  const { client } = join({ after })
  assert.deepEqual([client.lines[0]?.resumed, client.lines[0]?.missed], [true, 0])
  tell(incident('6'))
  assert.deepEqual(client.titles, ['3', '4', '5', '6'])
})

test('a client that asks for the newest events is sent those that were kept for its filter, then what happens', () => {
  const { join, tell } = given()
  const filter = { kinds: ['incident'] } as const
  assert.deepEqual(join({ filter, newest: 2 }).client.titles, [], 'kept before the first client came')
  tell(incident('1'), incident('2'), delivery('3'), incident('4'))
  const { client } = join({ filter, newest: 2 })
  assert.deepEqual([client.lines[0]?.resumed, client.lines[0]?.missed], [false, 0])
  assert.deepEqual(client.titles, ['2', '4'])
  tell(incident('5'))
  assert.deepEqual(client.titles, ['2', '4', '5'])
  assert.deepEqual(join({ filter, newest: 1_000 }).client.titles, ['1', '2', '4', '5'])
  assert.deepEqual(join({ filter: { kinds: ['delivery'] }, newest: 10 }).client.titles, [], 'another filter')
})

test('a client that comes back before anything happened has missed nothing', () => {
  const { join, tell } = given()
  const { client, subscription } = join()
  subscription.leave()
  const back = join({ after: client.lines[0]?.last_id ?? '' })
  tell(incident('1'))
  assert.equal(back.client.lines[0]?.resumed, true)
  assert.deepEqual(back.client.titles, ['1'])
})

test('what has been forgotten meanwhile is counted', () => {
  const { join, tell } = given()
  const first = join()
  tell(incident('0'))
  const after = first.client.lines.at(-1)?.id ?? ''
  first.subscription.leave()
  for (let n = 0; n < 100; n++) tell(...incidents(100, 1 + 100 * n))
  const { client } = join({ after })
  const { missed = 0, resumed } = client.lines[0] ?? {}
  assert.equal(resumed, true)
  assert.ok(missed > 5_000)
  assert.equal(client.titles.length, 10_000 - missed)
  assert.equal(client.titles[0], String(missed + 1))
})

test('nobody is promised what was not kept: another life, another filter, a time when nobody watched', () => {
  const { join, tell, pass, hub } = given()
  const first = join({ filter: { kinds: ['incident'] } })
  tell(incident('1'))
  const after = first.client.lines.at(-1)?.id ?? ''
  const resumed = (wish: Parameters<typeof join>[0]) => {
    const { client, subscription } = join(wish)
    subscription.leave()
    return client.lines[0]?.resumed
  }
  assert.equal(resumed({ filter: { kinds: ['incident'] }, after }), true)
  assert.equal(resumed({ filter: { kinds: ['incident'] }, after: 'another0-0000000001' }), false)
  assert.equal(resumed({ filter: { kinds: ['delivery'] }, after }), false)
  assert.equal(resumed({ filter: { kinds: ['incident'] }, after: hub.ids.of(1_000) }), false)
  first.subscription.leave()
  pass(61_000)
  hub.sweep()
  assert.deepEqual(hub.filters, [])
  assert.equal(resumed({ filter: { kinds: ['incident'] }, after }), false)
})

test('what the threads could not bring is told to everybody as missed', () => {
  const { join, hub } = given()
  const { client } = join({ filter: { q: 'nothing has this' } })
  hub.accept([incident('1')], 7)
  hub.flush()
  assert.deepEqual(
    client.lines.slice(1).map(({ kind, count }) => [kind, count]),
    [['missed', 7]],
  )
})

test('more than is kept may come between two flushes', () => {
  const { join, tell } = given()
  const { client } = join()
  tell(...incidents(10_000))
  assert.equal(client.titles.length, 10_000)
})

test('a client that does not read is sent no more than its share, and everything when it reads again', () => {
  const { join, tell } = given()
  const { client, subscription } = join()
  client.reads = false
  for (let n = 0; n < 20; n++) tell(...incidents(100, 1 + 100 * n))
  assert.ok(client.buffered < 150_000, `${client.buffered} bytes are held`)
  while (client.held.length > 0) {
    client.read()
    subscription.drained()
  }
  client.reads = true
  tell(incident('2001'))
  assert.deepEqual(
    client.titles,
    Array.from({ length: 2_001 }, (_, at) => String(at + 1)),
  )
})

test('a client that reads again too late is told how many it missed', () => {
  const { join, tell } = given()
  const { client, subscription } = join()
  client.reads = false
  for (let n = 0; n < 100; n++) tell(...incidents(100, 1 + 100 * n))
  while (client.held.length > 0) {
    client.read()
    subscription.drained()
  }
  const missed = client.lines.reduce((sum, { count = 0 }) => sum + count, 0)
  assert.ok(missed > 5_000)
  assert.equal(client.titles.length + missed, 10_000)
  assert.equal(client.titles.at(-1), '10000')
})

test('a client that reads nothing is cut off, one that reads slowly is not', () => {
  const { join, tell, pass, hub } = given()
  const dead = join()
  const slow = join()
  const idle = join({ filter: { kinds: ['oncall'] } })
  dead.client.reads = false
  slow.client.reads = false
  for (let second = 0; second < 30; second++) {
    tell(...incidents(200))
    slow.client.held.shift()
    slow.subscription.drained()
    pass(1_000)
    hub.sweep()
  }
  assert.deepEqual([dead.client.isCut, slow.client.isCut, idle.client.isCut], [true, false, false])
})

test('many that read nothing hold no more than a bound together', () => {
  const { join, tell, hub } = given()
  const all = Array.from({ length: 600 }, () => join().client)
  for (const client of all) client.reads = false
  for (let n = 0; n < 3; n++) tell(...incidents(200))
  hub.sweep()
  const held = all.filter(({ isCut }) => !isCut).reduce((sum, { buffered }) => sum + buffered, 0)
  assert.ok(held <= 32 * 1024 * 1024, `${held} bytes`)
})

test('statistics go to those who want them, and are not kept for others', () => {
  const { join, hub } = given()
  const all = join()
  const some = join({ filter: { kinds: ['incident'] } })
  hub.announce({ kind: 'stats', at: '2030-01-01T00:00:00.000Z', stats: { accepted: 1 } })
  hub.flush()
  const kinds = (client: typeof all.client) => client.lines.map(({ kind }) => kind)
  assert.deepEqual([kinds(all.client), kinds(some.client)], [['hello', 'stats'], ['hello']])
  const back = join({ after: all.client.lines[1]?.id ?? '' })
  assert.deepEqual(kinds(back.client), ['hello'])
})

test('the threads are asked for what somebody wants, for a while longer, and for nothing then', () => {
  const { join, hub, pass } = given()
  const { subscription } = join({ filter: { kinds: ['delivery'] } })
  assert.deepEqual(hub.filters, [{ kinds: ['delivery'] }])
  const others = Array.from({ length: 40 }, (_, n) => join({ filter: { q: `word ${n}` } }).subscription)
  assert.deepEqual(hub.filters, [{}])
  for (const each of [subscription, ...others]) each.leave()
  pass(30_000)
  hub.sweep()
  assert.equal(hub.filters.length, 1)
  pass(31_000)
  hub.sweep()
  assert.deepEqual(hub.filters, [])
})

test('the more clients there are the longer the pauses between what they are sent', () => {
  const { join, tell } = given()
  join()
  const alone = tell(...incidents(100))
  for (let n = 0; n < 999; n++) join()
  assert.ok(tell(...incidents(100)) > 1.5 * alone)
})
