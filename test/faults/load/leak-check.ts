import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { TestContext } from 'node:test'

/** What must not grow while a service does the same all the time. */
export interface Sample {
  readonly atMs: number
  readonly rssBytes: number
  /** Without the connections of its clients. */
  readonly handles: number
  readonly threads: number
  readonly walBytes: number
  readonly databaseBytes: number
  readonly p50Ms: number
  readonly p99Ms: number
}

type Figure = Exclude<keyof Sample, 'atMs'>

/** How much of its median a figure may grow over the time that is looked at, or how much in all, whichever is more. */
const ALLOWED_GROWTH: { readonly [name in Figure]: { readonly share: number; readonly or: number } } = {
  rssBytes: { share: 0.1, or: 0 },
  handles: { share: 0.05, or: 5 },
  threads: { share: 0, or: 1 },
  walBytes: { share: 0.1, or: 4 * 1024 * 1024 },
  databaseBytes: { share: 0.1, or: 4 * 1024 * 1024 },
  p50Ms: { share: 0.5, or: 5 },
  p99Ms: { share: 1, or: 50 },
}

/** Of a process on Linux that listens on `port`. */
interface Sampled {
  readonly pid: number
  readonly port: number
  readonly dataDir: string
}

/** `latenciesMs`: of the requests since the last sample. */
export function sampleOf({ pid, port, dataDir }: Sampled, latenciesMs: readonly number[]): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const sorted = [...latenciesMs].sort((one, other) => one - other)
  return {
    atMs: performance.now(),
    rssBytes: field('VmRSS') * 1024,
    handles: readdirSync(`/proc/${pid}/fd`).length - clientsOf(port),
    threads: field('Threads'),
    walBytes: statSync(`${dataDir}/tocsin.db-wal`).size,
    databaseBytes: statSync(`${dataDir}/tocsin.db`).size,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

const ESTABLISHED = '01'

function clientsOf(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return sockets.filter((line) => {
    const [, from, , state] = line.trim().split(/\s+/)
    return from?.endsWith(local) && state === ESTABLISHED
  }).length
}

/** Says how each figure went, and fails when one grew in the second half. */
export function assertNoLeak(t: TestContext, samples: readonly Sample[]): void {
  const half = samples.slice(Math.floor(samples.length / 2))
  const grown = (Object.keys(ALLOWED_GROWTH) as Figure[]).filter((figure) => {
    const median = middle(half.map((sample) => sample[figure]))
    const growth = growthOf(half, figure)
    const { share, or } = ALLOWED_GROWTH[figure]
    const course = tenths(samples).map((some) => said(middle(some.map((sample) => sample[figure]))))
    t.diagnostic(`${figure}: ${course.join(', ')}; grew ${said(growth)} in the second half`)
    return growth > Math.max(median * share, or)
  })
  assert.deepEqual(grown, [])
}

function tenths(samples: readonly Sample[]): Sample[][] {
  const at = (tenth: number) => Math.floor((samples.length * tenth) / 10)
  return Array.from({ length: 10 }, (_, n) => samples.slice(at(n), at(n + 1)))
}

/** Over the time of the samples, by the median of the slopes between any two (Theil and Sen): single outliers do not count. */
function growthOf(samples: readonly Sample[], figure: Figure): number {
  const slopes = samples.flatMap((one, at) =>
    samples.slice(at + 1).map((other) => (other[figure] - one[figure]) / (other.atMs - one.atMs)),
  )
  const spanMs = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0)
  return middle(slopes) * spanMs
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

const said = (value: number) => (Math.abs(value) < 1e5 ? value.toFixed(1) : `${(value / 1024 / 1024).toFixed(1)} MiB`)
