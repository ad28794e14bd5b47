import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { msAt, PERCENTILES } from '../../test/harness/load/latencies.ts'
import type { Curve } from '../report.ts'

export interface LoadRequest {
  readonly url: string
  /** File with the body that every request posts. */
  readonly bodyFile: string
  readonly connections: number
  readonly seconds: number
}
export interface LoadResult {
  /** Answers 2xx per second. */
  readonly perSecond: number
  /** Other answers and broken connections. */
  readonly refused: number
  readonly p99Ms: number
  /** How long answers took: milliseconds by percentile. A closed loop asks less while answers are late, so its tail flatters. */
  readonly curve: Curve['points']
}

const SCRIPT = fileURLToPath(new URL('./post.lua', import.meta.url))
/** Whose load it is. */
export const generator = hasWrk() ? 'wrk' : 'autocannon'

/** Closed-loop load from one generator thread: every connection posts again as soon as it is answered. */
export function load(request: LoadRequest): Promise<LoadResult> {
  return generator === 'wrk' ? withWrk(request) : withAutocannon(request)
}

function hasWrk(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v wrk'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function withWrk({ url, bodyFile, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', SCRIPT, url]
  const env = { ...process.env, BENCH_BODY: bodyFile, BENCH_PERCENTILES: PERCENTILES.join(' ') }
  const { stdout } = await promisify(execFile)('wrk', options, { env })
  const said = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as {
    readonly [name in 'seconds' | 'answered' | 'refused' | 'broken']: number
  } & { readonly curve: Curve['points'] }
  return {
    perSecond: (said.answered - said.refused) / said.seconds,
    refused: said.refused + said.broken,
    p99Ms: msAt(said.curve, 99),
    curve: said.curve,
  }
}

async function withAutocannon({ url, bodyFile, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const { duration, latency, ...counts } = await autocannon({
    url,
    connections,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readFileSync(bodyFile),
  })
  const known: { readonly [percentile: string]: unknown } = { ...latency, p0: latency.min, p100: latency.max }
  const curve = PERCENTILES.flatMap((at): Curve['points'] => {
    const ms = known[`p${at}`.replace('.', '_')]
    return typeof ms === 'number' ? [[at, ms]] : []
  })
  return { perSecond: counts['2xx'] / duration, refused: counts.non2xx + counts.errors, p99Ms: msAt(curve, 99), curve }
}
