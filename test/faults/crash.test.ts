import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { spawnService, startProcess } from '../support/process.ts'
import { configFile, folder, startTestSystem, twoChannels } from '../support/system.ts'
import { dice, shareOf, until } from './campaign.ts'
import { failing, Ledger } from './ledger.ts'

const DELIVERY = {
  attempts: 1000,
  backoff: { initial: '20ms', max: '200ms' },
  timeout: '500ms',
  circuit: { failures: 1_000_000 },
}

test('killed, ended and halted at any moment while providers fail: all that was accepted arrives', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const roll = dice()
  const sinks = [failing(chat, roll), failing(flow, roll)]
  const file = configFile(folder(t), { alert, delivery: DELIVERY, log: { level: 'info' } })
  const ledger = new Ledger()
  const end = performance.now() + shareOf(0.25)
  let rounds = 0
  for (; performance.now() < end; rounds++) await round(t, { file, ledger, roll })
  for (const sink of sinks) sink.mend()
  const { url } = await startProcess(t, file)
  const duplicates = await ledger.settle(url, sinks)
  t.diagnostic(`${rounds} rounds, ${ledger.accepted.size} accepted, ${duplicates} duplicates, all marked`)
  assert.ok(ledger.accepted.size > 0)
})

interface Round {
  readonly file: string
  readonly ledger: Ledger
  readonly roll: () => number
}

/** One life of the service, ended in some way at some moment; now and then before it is ready. */
async function round(t: TestContext, { file, ledger, roll }: Round): Promise<void> {
  const { child, url } = spawnService(t, file)
  const exit = once(child, 'exit')
  const end = roll()
  if (end < 0.15) {
    url.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, roll() * 1_000))
    child.kill('SIGKILL')
    return void (await exit)
  }
  const stop = new AbortController()
  const work = ledger.load(await url, stop.signal)
  await new Promise((resolve) => setTimeout(resolve, roll() * 800))
  if (end < 0.3) {
    child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, roll() * 5_000))
    child.kill('SIGCONT')
  }
  child.kill(end > 0.85 ? 'SIGTERM' : 'SIGKILL')
  const [code] = await exit
  if (end > 0.85) assert.equal(code, 0)
  stop.abort()
  await work
}

test('threads killed at any moment while providers fail: all that was accepted arrives', async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const roll = dice()
  const sinks = [failing(chat, roll), failing(flow, roll)]
  const workers = watchThreads(t)
  const system = await startTestSystem(t, configFile(folder(t), { alert, delivery: DELIVERY }))
  const ledger = new Ledger()
  const stop = new AbortController()
  const work = ledger.load(system.url, stop.signal, 5_000)
  const end = performance.now() + shareOf(0.1)
  let kills = 0
  for (; performance.now() < end; kills++) {
    await new Promise((resolve) => setTimeout(resolve, roll() * 700))
    for (const name of roll() < 0.2 ? ['store', 'send'] : [roll() < 0.5 ? 'store' : 'send'])
      await workers.get(name)?.terminate()
  }
  stop.abort()
  await work
  for (const sink of sinks) sink.mend()
  const ready = async () => (await fetch(`${system.url}/readyz`)).status
  await until(ready, (status) => status === 200)
  const duplicates = await ledger.settle(system.url, sinks)
  t.diagnostic(`${kills} kills, ${ledger.accepted.size} accepted, ${duplicates} duplicates, all marked`)
})

/** The youngest worker thread of this process of each name. */
function watchThreads(t: TestContext): ReadonlyMap<string, Worker> {
  const threads = new Map<string, Worker>()
  const seen = (worker: Worker) => {
    threads.set((worker as Worker & { readonly threadName?: string }).threadName ?? '', worker)
  }
  process.on('worker', seen)
  t.after(() => process.off('worker', seen))
  return threads
}
