import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivery, incident, incidents, setup } from './setup.ts'

test('a client gets hello first, then all events from then on, with ids that sort', () => {
  const { join, publish, hub } = setup()
  const { client } = join()
  publish(incident('a'), incident('b'))
  const [hello, first, second] = client.lines
  assert.deepEqual([hello?.kind, hello?.resumed, hello?.missed], ['hello', false, 0])
  assert.deepEqual(client.titles, ['a', 'b'])
  assert.ok(String(hello?.last_id) < String(first?.id) && String(first?.id) < String(second?.id))
  assert.ok(String(first?.id).startsWith(hub.ids.serverId))
})

test('clients with the same filter share one publish', () => {
  const { join, publish, published } = setup()
  const subscriptions = Array.from({ length: 20 }, () => join({ filter: { severities: ['critical'] } }))
  publish(incident('a'), incident('b', 'info'))
  assert.equal(published.length, 1)
  for (const { client } of subscriptions) assert.deepEqual(client.titles, ['a'])
})

test('a changed filter counts from the next event on', () => {
  const { join, publish } = setup()
  const { client, subscription } = join({ filter: { kinds: ['delivery'] } })
  join()
  publish(incident('a'))
  subscription.refilter({ q: 'wanted' })
  publish(incident('b'), incident('the wanted one'), delivery('c'))
  assert.deepEqual(client.titles, ['the wanted one'])
})

test('an event of another replica that started in the same millisecond does not resume', () => {
  const [one, other] = [setup(), setup()]
  const { client } = one.join()
  one.publish(...incidents(2))
  other.publish(...incidents(2))
  const after = client.lines.at(-1)?.id ?? ''
  assert.deepEqual(
    [one, other].map(({ join }) => join({ after }).client.lines[0]?.resumed),
    [true, false],
  )
})

test('a client that comes back gets the events it missed, and hello says that it resumed', () => {
  const { join, publish } = setup()
  const first = join()
  publish(...incidents(2))
  const after = first.client.lines.at(-1)?.id ?? ''
  first.subscription.leave()
  publish(...incidents(3, 3))
  const { client } = join({ after })
  assert.deepEqual([client.lines[0]?.resumed, client.lines[0]?.missed], [true, 0])
  publish(incident('6'))
  assert.deepEqual(client.titles, ['3', '4', '5', '6'])
})

test('a client that asks for the newest events gets those kept for its filter, then new ones', () => {
  const { join, publish } = setup()
  const filter = { kinds: ['incident'] } as const
  assert.deepEqual(join({ filter, newest: 2 }).client.titles, [], 'kept before the first client came')
  publish(incident('1'), incident('2'), delivery('3'), incident('4'))
  const { client } = join({ filter, newest: 2 })
  assert.deepEqual([client.lines[0]?.resumed, client.lines[0]?.missed], [false, 0])
  assert.deepEqual(client.titles, ['2', '4'])
  publish(incident('5'))
  assert.deepEqual(client.titles, ['2', '4', '5'])
  assert.deepEqual(join({ filter, newest: 1_000 }).client.titles, ['1', '2', '4', '5'])
  assert.deepEqual(join({ filter: { kinds: ['delivery'] }, newest: 10 }).client.titles, [], 'another filter')
})

test('a client that comes back before anything happened has missed nothing', () => {
  const { join, publish } = setup()
  const { client, subscription } = join()
  subscription.leave()
  const back = join({ after: client.lines[0]?.last_id ?? '' })
  publish(incident('1'))
  assert.equal(back.client.lines[0]?.resumed, true)
  assert.deepEqual(back.client.titles, ['1'])
})

test('events that were overwritten meanwhile are counted', () => {
  const { join, publish } = setup()
  const first = join()
  publish(incident('0'))
  const after = first.client.lines.at(-1)?.id ?? ''
  first.subscription.leave()
  for (let n = 0; n < 100; n++) publish(...incidents(100, 1 + 100 * n))
  const { client } = join({ after })
  const { missed = 0, resumed } = client.lines[0] ?? {}
  assert.equal(resumed, true)
  assert.ok(missed > 5_000)
  assert.equal(client.titles.length, 10_000 - missed)
  assert.equal(client.titles[0], String(missed + 1))
})

test('no client resumes what was not kept: another run, another filter, a time without clients', () => {
  const { join, publish, advance, hub } = setup()
  const first = join({ filter: { kinds: ['incident'] } })
  publish(incident('1'))
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
  advance(61_000)
  hub.sweep()
  assert.deepEqual(hub.filters, [])
  assert.equal(resumed({ filter: { kinds: ['incident'] }, after }), false)
})

test('events that publishers could not send are missed for every client', () => {
  const { join, hub } = setup()
  const { client } = join({ filter: { q: 'nothing has this' } })
  hub.accept([incident('1')], 7)
  hub.flush()
  assert.deepEqual(
    client.lines.slice(1).map(({ kind, count }) => [kind, count]),
    [['missed', 7]],
  )
})

test('more events than are kept may come between two flushes', () => {
  const { join, publish } = setup()
  const { client } = join()
  publish(...incidents(10_000))
  assert.equal(client.titles.length, 10_000)
})

test('a client that does not read gets no more than its share, and everything when it reads again', () => {
  const { join, publish } = setup()
  const { client, subscription } = join()
  client.reads = false
  for (let n = 0; n < 20; n++) publish(...incidents(100, 1 + 100 * n))
  assert.ok(client.buffered < 150_000, `${client.buffered} bytes are held`)
  while (client.held.length > 0) {
    client.read()
    subscription.drained()
  }
  client.reads = true
  publish(incident('2001'))
  assert.deepEqual(
    client.titles,
    Array.from({ length: 2_001 }, (_, at) => String(at + 1)),
  )
})

test('a client that reads again too late gets the number of events it missed', () => {
  const { join, publish } = setup()
  const { client, subscription } = join()
  client.reads = false
  for (let n = 0; n < 100; n++) publish(...incidents(100, 1 + 100 * n))
  while (client.held.length > 0) {
    client.read()
    subscription.drained()
  }
  const missed = client.lines.reduce((sum, { count = 0 }) => sum + count, 0)
  assert.ok(missed > 5_000)
  assert.equal(client.titles.length + missed, 10_000)
  assert.equal(client.titles.at(-1), '10000')
})

test('a client that reads nothing is disconnected, one that reads slowly is not', () => {
  const { join, publish, advance, hub } = setup()
  const dead = join()
  const slow = join()
  const idle = join({ filter: { kinds: ['oncall'] } })
  dead.client.reads = false
  slow.client.reads = false
  for (let second = 0; second < 30; second++) {
    publish(...incidents(200))
    slow.client.held.shift()
    slow.subscription.drained()
    advance(1_000)
    hub.sweep()
  }
  assert.deepEqual(
    [dead.client.isDisconnected, slow.client.isDisconnected, idle.client.isDisconnected],
    [true, false, false],
  )
})

test('clients that read nothing hold no more than a bound together', () => {
  const { join, publish, hub } = setup()
  const all = Array.from({ length: 600 }, () => join().client)
  for (const client of all) client.reads = false
  for (let n = 0; n < 3; n++) publish(...incidents(200))
  hub.sweep()
  const held = all.filter(({ isDisconnected }) => !isDisconnected).reduce((sum, { buffered }) => sum + buffered, 0)
  assert.ok(held <= 32 * 1024 * 1024, `${held} bytes`)
})

test('statistics go to clients that want them, and are not kept', () => {
  const { join, hub } = setup()
  const all = join()
  const some = join({ filter: { kinds: ['incident'] } })
  hub.announce({ kind: 'stats', at: '2030-01-01T00:00:00.000Z', stats: { accepted: 1 } })
  hub.flush()
  const kinds = (client: typeof all.client) => client.lines.map(({ kind }) => kind)
  assert.deepEqual([kinds(all.client), kinds(some.client)], [['hello', 'stats'], ['hello']])
  const back = join({ after: all.client.lines[1]?.id ?? '' })
  assert.deepEqual(kinds(back.client), ['hello'])
})

test('publishers get the filters of the clients, and keep them a minute after the last one left', () => {
  const { join, hub, advance } = setup()
  const { subscription } = join({ filter: { kinds: ['delivery'] } })
  assert.deepEqual(hub.filters, [{ kinds: ['delivery'] }])
  const others = Array.from({ length: 40 }, (_, n) => join({ filter: { q: `word ${n}` } }).subscription)
  assert.deepEqual(hub.filters, [{}])
  for (const each of [subscription, ...others]) each.leave()
  advance(30_000)
  hub.sweep()
  assert.equal(hub.filters.length, 1)
  advance(31_000)
  hub.sweep()
  assert.deepEqual(hub.filters, [])
})

test('more clients make the pauses between flushes longer', () => {
  const { join, publish } = setup()
  join()
  const alone = publish(...incidents(100))
  for (let n = 0; n < 999; n++) join()
  assert.ok(publish(...incidents(100)) > 1.5 * alone)
})
