import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createUpkeep } from '../../../actors/journal/postgres/upkeep.ts'
import { startWatch } from '../../../actors/journal/postgres/watch.ts'
import { connectWatch } from '../../../actors/journal/postgres/watch-connection.ts'
import { Quota } from '../../../actors/journal/quota.ts'
import { createFrameQueue } from '../../../actors/store/frame-queue.ts'
import { openTableReader } from '../../../src/journal/postgres/reader.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { until } from '../../harness/until.ts'
import { frameOf } from '../../journal/support.ts'
import { settingsOf } from '../settings.ts'
import { bodiesIn, connect, newTables, openOn, serverFor } from './support.ts'

/** The journal of one replica, as its thread wires it. */
function startReplica(t: TestContext, url: string, keepMs = 0) {
  const connection = connect(t, url)
  const { journal } = openOn(connection)
  const progress = new SharedProgress(createProgressMemory())
  const events: string[] = []
  let announced = 0
  const watch = startWatch({
    connect: (heard) => connectWatch(settingsOf(url), heard),
    progress,
    journal,
    upkeep: createUpkeep({ journal, progress, clock: systemClock, keepMs }),
    announce: () => void announced++,
    clock: systemClock,
    failed: () => events.push('failed'),
    recovered: () => events.push('recovered'),
  })
  t.after(() => watch.close())
  return {
    connection,
    journal,
    progress,
    events,
    announced: () => announced,
    append(incidents: number) {
      journal.append([frameOf(Array.from({ length: incidents }, () => '{}'))])
      progress.setCommitted(journal.nextNumber - 1, journal.keyed)
      watch.appended()
    },
  }
}

test('the leader learns what followers append, and followers what it has applied and how much is pending', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url } = await newTables(t, server)
  const leader = startReplica(t, url)
  const follower = startReplica(t, url)
  leader.progress.setApplied({ applied: 0, released: 0, backlog: 0 })
  follower.append(3)
  await until(() => leader.progress.committed === 3)
  assert.ok(leader.announced() > 0)
  leader.progress.setApplied({ applied: 3, released: 0, backlog: 7 })
  await until(
    () => [follower.progress.applied, follower.progress.backlog],
    ([applied, backlog]) => applied === 3 && backlog === 7,
  )
  assert.equal(follower.progress.storeIsOpen, false)
})

test('the quota counts what other replicas took', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url } = await newTables(t, server)
  const [one, other] = [startReplica(t, url), startReplica(t, url)]
  const quota = new Quota(one.progress, { maxBacklog: 20, dispatchesPerIncident: 2 })
  const takes = () => {
    quota.begin(one.journal.nextNumber - 1)
    return quota.takesAll(1)
  }
  await until(() => one.progress.applied === 0)
  assert.equal(takes(), true)
  other.append(10)
  await until(takes, (does) => !does)
  const leader = startReplica(t, url)
  leader.progress.setApplied({ applied: 10, released: 10, backlog: 18 })
  await until(takes, (does) => does)
  leader.progress.setApplied({ applied: 10, released: 10, backlog: 19 })
  await until(takes, (does) => !does)
})

test('a replica that no longer leads sets nothing back, and learns from the one that does', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const [former, leader] = [startReplica(t, url), startReplica(t, url)]
  former.progress.setApplied({ applied: 2, released: 2, backlog: 5 })
  await until(() => leader.progress.applied === 2)
  leader.progress.setApplied({ applied: 9, released: 9, backlog: 1 })
  const stored = () => connection.query('SELECT applied, backlog FROM journal_progress').rows[0]
  await until(stored, (row) => row?.[0] === 9)
  former.progress.setApplied({ applied: 3, released: 3, backlog: 6 })
  former.progress.storeClosed()
  await until(
    () => [former.progress.applied, former.progress.backlog],
    ([applied, backlog]) => applied === 9 && backlog === 1,
  )
  assert.deepEqual(stored(), [9, 1])
})

test('a new leader whose process knows little goes on behind what is applied, and skips nothing', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  for (let n = 0; n < 10; n++) journal.append([frameOf(['{}'])])
  const leader = startReplica(t, url)
  leader.progress.setCommitted(2)
  const frames = createFrameQueue({
    reader: openTableReader(leader.connection),
    progress: leader.progress,
    clock: systemClock,
    unreadable: (error) => assert.fail(error),
  })
  leader.progress.setApplied({ applied: 4, released: 4, backlog: 0 })
  assert.deepEqual(frames.take(4), [])
  await until(() => frames.dueAt(4) !== undefined)
  assert.ok(leader.announced() > 0)
  const taken: number[] = []
  for (let applied = 4; applied < 10; ) {
    const part = frames.take(applied)
    taken.push(...part.map(({ first }) => first))
    applied = part.at(-1)?.last ?? assert.fail('nothing is read')
    frames.applied(applied)
  }
  assert.deepEqual(taken, [5, 6, 7, 8, 9, 10])
})

test('the leader deletes released rows after a while, and expired keys; a follower deletes nothing', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const { journal } = openOn(connection)
  for (let n = 0; n < 1_200; n++) journal.append([frameOf(['{}'])])
  journal.append([frameOf(['{}', '{}'], { 0: { key: 'old' }, 1: { key: 'new' } })])
  connection.query(`UPDATE journal_keys SET used_at = used_at - 86400000 WHERE key = 'old'`)
  connection.query('UPDATE journal SET committed_at = committed_at - 60000 WHERE last <= 1000')
  const numbers = () => connection.query('SELECT min(last), max(last) FROM journal').rows[0]
  const follower = startReplica(t, url, 30_000)
  follower.journal.release(1_100)
  await until(() => follower.journal.size.segments > 0)
  const leader = startReplica(t, url, 30_000)
  assert.deepEqual(numbers(), [1, 1_202])
  leader.progress.setApplied({ applied: 1_100, released: 1_100, backlog: 0 })
  connection.query('UPDATE applied SET up_to = 700')
  leader.journal.release(1_100)
  await until(numbers, (row) => row?.[0] === 701)
  connection.query('UPDATE applied SET up_to = 1100')
  await until(numbers, (row) => row?.[0] === 1_001)
  connection.query('UPDATE journal SET committed_at = committed_at - 60000')
  await until(numbers, (row) => row?.[0] === 1_101)
  await until(
    () => connection.query('SELECT key FROM journal_keys').rows.map(([key]) => key),
    (keys) => keys.length === 1 && keys[0] === 'new',
  )
  assert.equal(leader.journal.find(1_100), undefined)
  assert.ok(leader.journal.find(1_101))
})

test('a database that has lost commits is believed: nothing is taken for missing whose number is given again', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url, connection } = await newTables(t, server)
  const leader = startReplica(t, url)
  leader.progress.setApplied({ applied: 0, released: 0, backlog: 0 })
  leader.append(4)
  const reader = openTableReader(connection)
  connection.exec('UPDATE journal_head SET next = 3; DELETE FROM journal')
  assert.throws(() => reader.read(3, 4), { code: 'storage_down', message: /lost the incidents 3 to 4/ })
  assert.match(reader.read(1, 2)[0]?.damage ?? '', /1 to 2 are missing/)
  await until(() => leader.progress.committed === 2)
  leader.append(1)
  assert.deepEqual([...bodiesIn(connection, 3, leader.progress.committed).keys()], [3])
})

test('a lost connection of the watch is made anew', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url } = await newTables(t, server)
  const [one, other] = [startReplica(t, url), startReplica(t, url)]
  other.append(1)
  await until(() => one.progress.committed === 1)
  await server.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tocsin journal watch'",
    url,
  )
  other.append(1)
  await until(() => one.progress.committed === 2)
  assert.deepEqual(one.events, ['failed', 'recovered'])
})
