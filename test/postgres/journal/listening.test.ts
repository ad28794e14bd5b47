import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWatch } from '../../../actors/journal/postgres/watch.ts'
import { CHANNEL, connectWatch } from '../../../actors/journal/postgres/watch-connection.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { until } from '../../harness/until.ts'
import { settingsOf } from '../settings.ts'
import { newTables, serverFor } from './support.ts'

test('a leader that hears of appends reads how far the journal is; it publishes and deletes at the usual intervals', async () => {
  const progress = new SharedProgress(createProgressMemory())
  const queries: string[] = []
  let heard = () => {}
  let [now, next, upkeeps] = [0, 1, 0]
  let fire = () => {}
  const watch = startWatch({
    async connect({ notified }) {
      heard = notified
      return {
        async query(sql) {
          queries.push(sql.trim().split(' ', 1)[0] as string)
          return { rows: sql.includes('SELECT') ? [[next, 0, 0, 0]] : [] }
        },
        listen: async () => void queries.push('LISTEN'),
        close() {},
      }
    },
    progress,
    journal: {
      get nextNumber() {
        return next
      },
      keyed: 0,
      observe() {},
    },
    upkeep: {
      async run() {
        upkeeps++
        return false
      },
    },
    announce() {},
    clock: {
      elapsed: () => now,
      setTimer(_delayMs, then) {
        fire = then
        return { cancel() {} }
      },
    },
    failed: (error) => assert.fail(String(error)),
    recovered() {},
  })
  const upkeepsAre = (count: number) =>
    until(
      () => upkeeps,
      (runs) => runs === count,
    )
  await upkeepsAre(1)
  assert.ok(!queries.includes('LISTEN'), 'it does not lead yet')
  progress.setApplied({ applied: 0, released: 0, backlog: 4 })
  for (next = 2; next <= 4; next++) {
    heard()
    await until(() => progress.committed === next - 1)
  }
  assert.deepEqual([upkeeps, queries.filter((sql) => sql === 'UPDATE')], [1, []])
  now = 250
  fire()
  await upkeepsAre(2)
  assert.ok(queries.includes('LISTEN'))
  assert.deepEqual(
    queries.filter((sql) => sql === 'UPDATE'),
    ['UPDATE'],
  )
  watch.close()
})

test('a connection hears of appends once it listens', async (t) => {
  const server = await serverFor(t)
  if (!server) return
  const { url } = await newTables(t, server)
  const heard = { listener: 0, other: 0 }
  const listener = await connectWatch(settingsOf(url), { notified: () => void heard.listener++ })
  const other = await connectWatch(settingsOf(url), { notified: () => void heard.other++ })
  t.after(() => [listener, other].map((connection) => connection.close()))
  await listener.listen()
  await listener.listen()
  await other.query(`NOTIFY ${CHANNEL}`)
  await until(() => heard.listener === 1)
  await other.query('SELECT 1')
  assert.equal(heard.other, 0)
})
