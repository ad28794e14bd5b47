import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { RateCounter } from '../../src/telemetry/counters.ts'
import { Buckets, RecentHistogram } from '../../src/telemetry/histogram.ts'
import { openMeters } from '../../src/telemetry/meters.ts'
import { SharedNumbers } from '../../src/telemetry/shared-numbers.ts'

const START = Date.UTC(2030, 0, 1)

test('percentiles are within a sixth of the exact value, from microseconds to hours', () => {
  const histogram = new RecentHistogram(new SharedNumbers(), () => START)
  for (const scale of [0.02, 1, 300, 40_000]) {
    const values = Array.from({ length: 1_000 }, (_, n) => scale * (1 + n / 100))
    for (const value of values) histogram.record(value)
  }
  const all = [0.02, 1, 300, 40_000].flatMap((scale) => Array.from({ length: 1_000 }, (_, n) => scale * (1 + n / 100)))
  const sorted = all.sort((a, b) => a - b)
  const measured = histogram.percentiles([1, 25, 50, 75, 95, 99])
  for (const [percentile, value] of Object.entries(measured)) {
    const truth = sorted[Math.ceil((Number(percentile) / 100) * sorted.length) - 1] ?? 0
    assert.ok(value !== null && Math.abs(value - truth) <= truth / 6, `p${percentile}: ${value}, in truth ${truth}`)
  }
})

test('percentiles cover the last minute, totals everything since the start', () => {
  let now = START
  const histogram = new RecentHistogram(new SharedNumbers(), () => now)
  assert.deepEqual(histogram.percentiles([50]), { 50: null })
  histogram.record(1_000)
  now += 59_000
  histogram.record(10)
  assert.equal(histogram.percentiles([100])[100], 1_000)
  now += 30_000
  assert.equal(histogram.percentiles([100])[100], 10)
  now += 3_600_000
  assert.deepEqual(histogram.percentiles([100]), { 100: null })
  assert.equal(histogram.total.sum, 1_010)
})

test('a value that equals a bound is below it, and a larger one than all bounds is counted', () => {
  const buckets = new Buckets(new SharedNumbers(), [1, 2.5, 5])
  for (const value of [0, 1, 1.01, 2.5, 5, 5.1, 1e12]) buckets.record(value)
  assert.deepEqual([...buckets.counts()], [2, 2, 1, 2])
})

test('a rate covers the last five complete seconds', () => {
  let now = START
  const rate = new RateCounter(new SharedNumbers(), () => now)
  rate.add(10)
  assert.equal(rate.perSecond(), 0)
  now += 1_000
  assert.equal(rate.perSecond(), 2)
  now += 4_000
  rate.add(5)
  assert.equal(rate.perSecond(), 2)
  now += 1_000
  assert.equal(rate.perSecond(), 1)
  now += 7_000
  rate.add(5)
  assert.equal(rate.perSecond(), 0)
  assert.equal(rate.value, 20)
})

test('counts of a thread outlive it', async () => {
  const meters = openMeters(() => START)
  const script = `
    import { workerData } from 'node:worker_threads'
    import { openMeters } from ${JSON.stringify(new URL('../../src/telemetry/meters.ts', import.meta.url).href)}
    const { channels } = openMeters(() => ${START}, workerData)
    channels.email.sent.add(3)
    channels.email.confirmedMs.record(40)
    process.exit(1)
  `
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    workerData: meters.buffer,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(worker, 'exit')
  const { email, chatws } = meters.channels
  assert.deepEqual([email.sent.value, email.confirmedMs.total.sum, chatws.sent.value], [3, 40, 0])
})
