import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { spawnNode } from '../harness/spawn.ts'
import { until } from '../harness/until.ts'
import { startProxy, through } from './proxy.ts'
import { opened, ownServer } from './settings.ts'

/** Of each fault. */
const ROUNDS = 3
const BETWEEN = 60

test('commits are what their callers were told, while connections, the network and the server fail', async (t) => {
  const server = await ownServer(t)
  if (!server) return
  const url = await server.database()
  opened(t, url).exec('CREATE TABLE numbers (name text, n bigint, PRIMARY KEY (name, n))')
  const proxy = await startProxy(t, server.port)
  const outcomes = new Map<string, string>()
  let committed = 0
  const writers = ['one', 'two', 'three'].map((name) => {
    const args = [`${import.meta.dirname}/fixtures/committer.ts`, name === 'one' ? through(url, proxy.port) : url, name]
    const child = spawnNode(args)
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      const [outcome = '', n] = line.split(' ')
      outcomes.set(`${name} ${n}`, outcome)
      if (outcome === 'committed') committed++
    })
    t.after(() => child.kill('SIGKILL'))
    return child
  })
  const more = async () => {
    const goal = committed + BETWEEN
    await until(
      () => {
        for (const { exitCode } of writers) assert.equal(exitCode, null, 'a writer has failed')
        return committed
      },
      (count) => count >= goal,
    )
  }
  for (let round = 0; round < ROUNDS; round++) {
    await more()
    await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name IN ('one', 'two')")
    await more()
    proxy.mode = 'cut'
    await more()
    await server.crash()
    await server.start()
    await more()
    proxy.mode = 'silent'
    await more()
    proxy.mode = 'pass'
    await server.kill()
    await server.start()
  }
  await more()
  for (const child of writers) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  const rows = await server.sql('SELECT name, n::int FROM numbers', url)
  const stored = new Set(rows.map(({ name, n }) => `${name} ${n}`))
  const told = (outcome: string) => [...outcomes].flatMap(([key, each]) => (each === outcome ? [key] : []))
  assert.deepEqual(
    told('committed').filter((key) => !stored.has(key)),
    [],
  )
  assert.deepEqual(
    told('aborted').filter((key) => stored.has(key)),
    [],
  )
  t.diagnostic(['committed', 'aborted', 'unknown'].map((outcome) => `${outcome} ${told(outcome).length}`).join(', '))
})
