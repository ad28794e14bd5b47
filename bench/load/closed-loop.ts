import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { type LatencyCurve, msAt, PERCENTILES } from '../../test/harness/load/latencies.ts'

export interface LoadRequest {
  readonly url: string
  /** The requests post the lines of this file in turn. With wrk each `@SERIAL@` in them becomes another number. */
  readonly bodyFile: string
  /** The first of these numbers; the load makes fewer than a million of them a second. */
  readonly serial?: number
  readonly connections: number
  readonly seconds: number
}
export interface LoadResult {
  /** 2xx answers per second. */
  readonly perSecond: number
  /** Other answers, and broken connections. */
  readonly refused: number
  readonly p99Ms: number
  /**
   * Time to the answer. A closed loop posts less while answers are late, so that its high percentiles look better than
   * they are.
   */
  readonly curve: LatencyCurve
}

const SCRIPT = fileURLToPath(new URL('./post.lua', import.meta.url))
/** Name of the load generator: wrk when it is installed. */
export const generator = hasWrk() ? 'wrk' : 'autocannon'

/**
 * Loads a server from one generator thread, in a closed loop: each connection posts again as soon as it is answered.
 */
export function loadClosed(request: LoadRequest): Promise<LoadResult> {
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

async function withWrk({ url, bodyFile, serial = 0, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const options = ['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', SCRIPT, url]
  const env = {
    ...process.env,
    BENCH_BODY: bodyFile,
    BENCH_SERIAL: String(serial),
    BENCH_PERCENTILES: PERCENTILES.join(' '),
  }
  const { stdout } = await promisify(execFile)('wrk', options, { env })
  const printed = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as {
    readonly [name in 'seconds' | 'answered' | 'refused' | 'broken']: number
  } & { readonly curve: LatencyCurve }
  return {
    perSecond: (printed.answered - printed.refused) / printed.seconds,
    refused: printed.refused + printed.broken,
    p99Ms: msAt(printed.curve, 99),
    curve: printed.curve,
  }
}

async function withAutocannon({ url, bodyFile, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const { duration, latency, ...counts } = await autocannon({
    url,
    connections,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    requests: readFileSync(bodyFile, 'utf8')
      .split('\n')
      .map((body) => ({ body })),
  })
  const known: { readonly [percentile: string]: unknown } = { ...latency, p0: latency.min, p100: latency.max }
  const curve = PERCENTILES.flatMap((at): LatencyCurve => {
    const ms = known[`p${at}`.replace('.', '_')]
    return typeof ms === 'number' ? [[at, ms]] : []
  })
  return { perSecond: counts['2xx'] / duration, refused: counts.non2xx + counts.errors, p99Ms: msAt(curve, 99), curve }
}
