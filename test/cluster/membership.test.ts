import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import type { Connection, Row } from '../../src/cluster/contract.ts'
import { Membership } from '../../src/cluster/membership.ts'
import { createLeaseMemory, SharedLease } from '../../src/cluster/shared-lease.ts'
import { CLUSTER_TABLES } from '../../src/cluster/tables.ts'
import { sinceBootMs } from '../../src/kernel/clock.ts'
import { postgresServer } from '../harness/postgres.ts'
import { until } from '../harness/until.ts'

const server = await postgresServer()
const skip = 'missing' in server ? server.missing : false
const LEASE_MS = 400
const HOUR_MS = 3_600_000

async function database(): Promise<string> {
  assert.ok(!('missing' in server))
  const url = await server.database()
  const client = new Client(url)
  await client.connect()
  for (const migration of CLUSTER_TABLES.migrations) await client.query(migration)
  await client.end()
  return url
}

/** A connection that can be lost. */
class Wire implements Connection {
  readonly #url: string
  #current: { readonly client: Client; readonly since: number } | undefined
  isCut = false
  constructor(url: string) {
    this.#url = url
  }
  get since() {
    return this.#current?.since
  }
  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    if (this.isCut) throw new Error('cut')
    this.#current ??= await this.#connect()
    return (await this.#current.client.query<Row>(text, [...values])).rows
  }
  async close() {
    const { client } = this.#current ?? {}
    this.#current = undefined
    await client?.end()
  }
  async #connect() {
    const client = new Client(this.#url)
    await client.connect()
    return { client, since: sinceBootMs() }
  }
}

function member(
  t: TestContext,
  url: string,
  name: string,
  { wallClockMs = 0, leaseMs = LEASE_MS, address = `http://${name}` } = {},
) {
  const lease = new SharedLease(createLeaseMemory(), sinceBootMs)
  const wire = new Wire(url)
  const told: string[] = []
  const membership = new Membership({
    settings: { name, address, version: '1', leaseMs, channel: 'replicas' },
    connection: wire,
    lease,
    report: {
      cutOff: () => told.push('cut off'),
      reconnected: () => told.push('reconnected'),
      declaredDead: () => told.push('declared dead'),
      ended: (names) => told.push(`ended ${names}`),
      timelineChanged: () => told.push('timeline changed'),
      clockSet: () => told.push('clock set'),
      shared: (identity, { address }) => told.push(`shares ${identity.join(' and ')} with ${address}`),
    },
    elapsed: sinceBootMs,
    wallClock: () => Date.now() + wallClockMs,
    figures: () => ({ of: name }),
  })
  t.after(() => wire.close())
  return Object.assign(membership, { lease, wire, told })
}

type Member = ReturnType<typeof member>

const beatUntil = (beating: Member, is: (member: Member) => boolean) =>
  until(
    () => beating.beat().then(() => is(beating)),
    (reached) => reached,
    { deadlineMs: 20_000 },
  )

test('the first takes the lease, and all know it and each other', { skip }, async (t) => {
  const url = await database()
  const [a, b] = [member(t, url, 'a'), member(t, url, 'b')]
  await a.join()
  await b.join()
  await a.beat()
  assert.deepEqual([a.isLeader, a.lease.holds(), a.lease.term], [true, true, 1])
  assert.deepEqual([b.isLeader, b.lease.holds()], [false, false])
  assert.deepEqual(a.leader(), { name: 'a', address: 'http://a', self: true })
  assert.deepEqual(b.leader(), { name: 'a', address: 'http://a', self: false })
  assert.deepEqual(
    b.replicas().map(({ name, leads, self, figures }) => ({ name, leads, self, figures })),
    [
      { name: 'a', leads: true, self: false, figures: { of: 'a' } },
      { name: 'b', leads: false, self: true, figures: null },
    ],
  )
})

test('a process that was killed is known to the next one of its replica, which another of its name that runs is not', {
  skip,
}, async (t) => {
  const url = await database()
  const [killed, next] = [1, 2].map(() => member(t, url, 'a', { address: '', leaseMs: 10_000 }))
  assert.ok(killed && next)
  await killed.join()
  await next.join()
  assert.deepEqual(next.leader(), { name: 'a', address: '', self: false, former: true })
  await killed.beat()
  await next.beat()
  assert.deepEqual(next.leader(), { name: 'a', address: '', self: false })
})

test('who leaves gives the lease back, and the next beat of another takes it with a new term', { skip }, async (t) => {
  const url = await database()
  const [a, b] = [member(t, url, 'a'), member(t, url, 'b')]
  await a.join()
  await b.join()
  let changes = 0
  b.watch(() => changes++)
  await a.leave()
  await b.beat()
  assert.deepEqual([b.isLeader, b.lease.term, changes], [true, 2, 1])
  assert.equal(a.lease.holds(), false)
  assert.deepEqual(b.told, [])
})

test('a leader that does not beat stops first, and is replaced after its lease', { skip }, async (t) => {
  const url = await database()
  const [a, b] = [member(t, url, 'a'), member(t, url, 'b')]
  await a.join()
  await b.join()
  const heldAtTakeover = await until(
    async () => {
      await b.beat()
      return b.isLeader ? a.lease.holds() : undefined
    },
    (held) => held !== undefined,
  )
  assert.equal(heldAtTakeover, false)
  assert.deepEqual(b.told, ['ended a'])
  assert.equal(b.lease.term, 2)
  await a.beat()
  assert.deepEqual([a.isLeader, a.told], [false, ['declared dead']])
  await a.beat()
  assert.deepEqual(a.leader(), { name: 'b', address: 'http://b', self: false })
})

test('a lease that is over and that nobody took goes on with the same term', { skip }, async (t) => {
  const a = member(t, await database(), 'a')
  await a.join()
  await until(() => !a.lease.holds())
  assert.equal(a.leader(), undefined)
  await until(() => (a.replicas()[0]?.leaseLeftMs ?? 0) < -LEASE_MS)
  await a.beat()
  assert.deepEqual([a.lease.holds(), a.lease.term, a.told], [true, 1, []])
})

test('nobody is ended in the first lease after a connection', { skip }, async (t) => {
  const url = await database()
  const leaseMs = 1_500
  const [a, b] = [member(t, url, 'a', { leaseMs }), member(t, url, 'b', { leaseMs })]
  await a.join()
  await b.join()
  await beatUntil(b, () => (b.replicas().find(({ name }) => name === 'a')?.leaseLeftMs ?? leaseMs) < leaseMs / 2)
  b.wire.isCut = true
  await b.beat()
  await b.wire.close()
  await until(() => (a.replicas()[0]?.leaseLeftMs ?? 0) < -leaseMs / 4)
  b.wire.isCut = false
  await b.beat()
  assert.equal(b.isLeader, false)
  await a.beat()
  assert.equal(a.isLeader, true)
  assert.deepEqual([a.told, b.told], [[], ['cut off', 'reconnected']])
})

test('of several that wait for the lease exactly one takes it', { skip }, async (t) => {
  const url = await database()
  const first = member(t, url, 'first')
  await first.join()
  const others = Array.from({ length: 4 }, (_, n) => member(t, url, `other-${n}`))
  await Promise.all(others.map((each) => each.join()))
  await until(async () => {
    await Promise.all(others.map((each) => each.beat()))
    return others.some(({ isLeader }) => isLeader)
  })
  await Promise.all(others.map((each) => each.beat()))
  assert.equal(others.filter(({ isLeader }) => isLeader).length, 1)
  assert.equal(others.filter(({ lease }) => lease.holds()).length, 1)
  assert.equal(new Set(others.map((each) => each.leader()?.name)).size, 1)
})

test('a row that is deleted by hand ends the life and frees the lease', { skip }, async (t) => {
  const url = await database()
  const a = member(t, url, 'a')
  await a.join()
  assert.ok(!('missing' in server))
  await server.sql('DELETE FROM replicas', url)
  await a.beat()
  assert.deepEqual([a.isLeader, a.lease.holds(), a.told], [false, false, ['declared dead']])
  await a.beat()
  assert.deepEqual([a.isLeader, a.lease.term], [true, 2])
})

test('all replicas show the time of the database, whatever their own clocks say', { skip }, async (t) => {
  const url = await database()
  const clocks = [3 * HOUR_MS, -3 * HOUR_MS, 0].map((wallClockMs, n) => member(t, url, `${n}`, { wallClockMs }))
  for (const each of clocks) await each.join()
  const times = clocks.map(({ lease }) => lease.now())
  // Far more than a round trip, far less than the clocks are apart.
  assert.ok(Math.max(...times) - Math.min(...times) < HOUR_MS / 60, String(times))
  assert.ok(Math.abs((times[0] ?? 0) - Date.now()) < HOUR_MS / 60)
  await Promise.all(clocks.map((each) => each.beat()))
  const offsets = clocks.map((each) => each.status().clockOffsetMs)
  assert.deepEqual(
    offsets.map((ms) => Math.round(ms / HOUR_MS) + 0),
    [-3, 3, 0],
  )
  assert.deepEqual(
    clocks.flatMap(({ told }) => told),
    [],
  )
})

test('a process that is started again goes on at once', { skip }, async (t) => {
  const url = await database()
  const killed = member(t, url, 'a')
  await killed.join()
  const next = member(t, url, 'a')
  await next.join()
  assert.deepEqual([next.isLeader, next.lease.term], [true, 2])
  await next.beat()
  assert.deepEqual(next.told, [])
})

test('a replica that is started again elsewhere before its lease is over shares nothing', { skip }, async (t) => {
  const url = await database()
  const killed = member(t, url, 'a')
  await killed.join()
  const next = member(t, url, 'a', { address: 'http://elsewhere' })
  await next.join()
  await next.beat()
  assert.equal(next.replicas().length, 2)
  assert.deepEqual(
    next.replicas().flatMap(({ shares }) => shares),
    [],
  )
  assert.deepEqual(next.told, [])
})

const TWINS = [
  { same: 'name', names: ['a', 'a'], addresses: ['http://one', 'http://two'] },
  { same: 'address', names: ['a', 'b'], addresses: ['http://one', 'http://one'] },
  { same: 'name and address', names: ['a', 'a'], addresses: ['http://one', 'http://one'] },
  { same: 'name', names: ['a', 'a'], addresses: ['', ''] },
] as const

for (const { same, names, addresses } of TWINS)
  test(`two that run with the same ${same} (${addresses.join(', ')}) both tell, and all show it`, {
    skip,
  }, async (t) => {
    const url = await database()
    const one = member(t, url, names[0], { address: addresses[0] })
    const two = member(t, url, names[1], { address: addresses[1] })
    const third = member(t, url, 'third')
    for (const each of [one, two, third]) await each.join()
    const all = [one, two, third]
    const shown = () => third.replicas().map(({ shares }) => shares.join(' and '))
    await until(
      async () => {
        for (const each of all) await each.beat()
        return shown()
      },
      (found) => found.filter((shares) => shares === same).length === 2,
    )
    assert.deepEqual(shown().toSorted(), ['', same, same])
    await Promise.all(all.map((each) => each.beat()))
    const told = (each: Member) => [...new Set(each.told.filter((text) => text.startsWith('shares')))]
    assert.deepEqual(told(one), [`shares ${same} with ${addresses[1]}`])
    assert.deepEqual(told(two), [`shares ${same} with ${addresses[0]}`])
    assert.deepEqual(told(third), [])
  })
