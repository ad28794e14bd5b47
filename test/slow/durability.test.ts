import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { openStore } from '../store/database.ts'
import { freshDir, roomAt, StoreRig, turn } from '../store/support.ts'

const fixture = (name: string) => new URL(`../store/engine/fixtures/${name}.ts`, import.meta.url)
const NODE = ['--disable-warning=ExperimentalWarning']

interface Printed {
  readonly committed?: string[]
  readonly sent?: string[]
}

/** Kills a committing process with SIGKILL after it has printed `lines` lines; returns all that it printed. */
async function killCommitter(t: TestContext, dataDir: string, lines: number): Promise<Printed[]> {
  const child = spawn(process.execPath, [...NODE, fixture('committer').pathname, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const printed: Printed[] = []
  for await (const line of createInterface(child.stdout)) {
    printed.push(JSON.parse(line))
    if (printed.length === lines) child.kill('SIGKILL')
  }
  return printed
}

for (const lines of [20, 151, 602])
  test(`kill -9 after ${lines} transactions loses nothing that was acknowledged`, async (t) => {
    const dataDir = freshDir(t)
    const printed = await killCommitter(t, dataDir, lines)
    const rig = new StoreRig(t, { dataDir, maxIncidents: 1e6, maxBacklog: 1e6 })
    const committed = printed.flatMap((line) => line.committed ?? [])
    const sent = new Set(printed.flatMap((line) => line.sent ?? []))
    assert(committed.length >= lines * 4)
    for (const id of committed) {
      const [chatws, email] = rig.detail(id).deliveries
      assert.deepEqual([chatws?.state, chatws?.may_duplicate], ['pending', false])
      if (sent.has(id)) assert.deepEqual([email?.state, email?.attempts.length], ['sent', 1])
      // The killed process may have settled more than it had time to print.
      else if (email?.state !== 'sent') assert.deepEqual([email?.state, email?.may_duplicate], ['pending', true])
    }
    assert.equal(rig.store.status.counters().incidents % 8, 0, 'a transaction is whole or absent')
  })

test('a second process is refused while the first runs, and admitted after it', (t) => {
  const rig = new StoreRig(t)
  const tryOpen = () =>
    JSON.parse(execFileSync(process.execPath, [...NODE, fixture('opener').pathname, rig.options.dataDir]).toString())
  const refused = tryOpen()
  assert.equal(refused.code, 'storage_down')
  assert.match(refused.message, /another process uses the data directory/)
  rig.spill()
  rig.store.close()
  assert.deepEqual(tryOpen(), { opened: true })
})

test('a thread that is terminated within a transaction leaves no lock and nothing of the transaction', async (t) => {
  const dataDir = freshDir(t)
  const worker = new Worker(fixture('stuck-worker'), { workerData: dataDir })
  t.after(() => worker.terminate())
  await once(worker, 'message')
  const options = { dataDir, channels: ['email'], maxIncidents: 10, maxBacklog: 10, now: Date.now } as const
  assert.throws(() => openStore(options), /another process uses the data directory/)
  await worker.terminate()
  const store = openStore(options)
  t.after(() => store.close())
  assert.equal(store.status.counters().incidents, 1)
  assert.deepEqual(
    turn(store, { capacity: roomAt('email') }).dispatches.map(({ mayDuplicate }) => mayDuplicate),
    [true],
  )
})
