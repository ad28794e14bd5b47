import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertNews, assertAlternate, postAlerts } from '../../harness/alerts.ts'
import { configFile, folder } from '../../harness/config-file.ts'
import { end, type Started, startProcess } from '../../harness/process.ts'
import { randomFrom } from '../../harness/random.ts'
import { until } from '../../harness/until.ts'
import { numberFrom, SEED } from '../campaign.ts'

const ALERTS = 1_000
const BATCH = 256
const KILLS = numberFrom('FAULTS_KILLS', 5)
/** Like the claims of a Prometheus that evaluates each second. */
const VALID_MS = 20_000

/** A Prometheus that sends all its alerts again and again, and drops what is refused. */
class Sender {
  readonly fires: boolean[] = Array.from({ length: ALERTS }, () => true)
  /** How often each alert began to fire. */
  readonly begun: number[] = Array.from({ length: ALERTS }, () => 1)
  url = ''
  accepted = 0
  #stopped = false

  change(nth: number): void {
    this.fires[nth] = !this.fires[nth]
    if (this.fires[nth]) this.begun[nth] = (this.begun[nth] ?? 0) + 1
  }

  async #batch(first: number): Promise<boolean> {
    const alerts = this.fires
      .slice(first, first + BATCH)
      .map((fires, at) => ({ labels: { alertname: `A${first + at}` }, forMs: fires ? VALID_MS : -1_000 }))
    return postAlerts(this.url, alerts).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  /** Sends all once; true when all were accepted. */
  async round(): Promise<boolean> {
    let all = true
    for (let first = 0; first < ALERTS; first += BATCH) all = (await this.#batch(first)) && all
    if (all) this.accepted++
    return all
  }

  async run(): Promise<void> {
    while (!this.#stopped) if (!(await this.round())) await new Promise(setImmediate)
  }

  stop(): void {
    this.#stopped = true
  }
}

test('kill -9 while 1,000 alerts are sent again and again: one incident for each change, and no other', async (t) => {
  const file = configFile(folder(), { log: { level: 'info' } })
  const random = randomFrom(SEED)
  const sender = new Sender()
  let service: Started = await startProcess(t, file)
  sender.url = service.url
  const running = sender.run()
  t.after(() => sender.stop())
  const rounds = (more: number) => {
    const wanted = sender.accepted + more
    return until(
      () => sender.accepted,
      (accepted) => accepted >= wanted,
    )
  }
  await rounds(1)
  for (let kill = 0; kill < KILLS; kill++) {
    for (let changes = 0; changes < 10; changes++) sender.change(Math.floor(random() * 100))
    await until(
      () => random(),
      (value) => value < 0.2,
    )
    await end(service.child)
    service = await startProcess(t, file)
    sender.url = service.url
    await rounds(1)
  }
  sender.stop()
  await running
  const expected = sender.fires.map((fires, nth) => `A${nth} ${fires ? 'firing' : 'resolved'}`)
  const wrong = async () => {
    // Restarts forget who claimed what: resolutions that only one sender repeats take half of `VALID_MS`.
    await sender.round()
    const news = await alertNews(service.url)
    assertAlternate(news)
    const last = new Map(news.map((each) => [each.split(' ')[0], each]))
    return { news, left: expected.filter((each) => last.get(each.split(' ')[0]) !== each && !neverFired(each, last)) }
  }
  const { news } = await until(wrong, ({ left }) => left.length === 0)
  for (const [nth, begun] of sender.begun.entries()) {
    const fired = news.filter((each) => each === `A${nth} firing`).length
    assert.ok(fired <= begun, `A${nth} began ${begun} times and fired ${fired} times`)
    if (begun === 1 && sender.fires[nth]) assert.equal(fired, 1)
  }
})

/** It began and ended between two requests. */
const neverFired = (expected: string, last: ReadonlyMap<string | undefined, string>) =>
  expected.endsWith('resolved') && last.get(expected.split(' ')[0]) === undefined
