import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import autocannon from 'autocannon'

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
  readonly p50Ms: number
  readonly p99Ms: number
}

const SCRIPT = fileURLToPath(new URL('./post.lua', import.meta.url))
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
  const { stdout } = await promisify(execFile)('wrk', options, { env: { ...process.env, BENCH_BODY: bodyFile } })
  const said = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as {
    [name in 'seconds' | 'answered' | 'refused' | 'broken' | 'p50Ms' | 'p99Ms']: number
  }
  return {
    perSecond: (said.answered - said.refused) / said.seconds,
    refused: said.refused + said.broken,
    p50Ms: said.p50Ms,
    p99Ms: said.p99Ms,
  }
}

async function withAutocannon({ url, bodyFile, connections, seconds }: LoadRequest): Promise<LoadResult> {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: readFileSync(bodyFile),
  })
  return {
    perSecond: result['2xx'] / result.duration,
    refused: result.non2xx + result.errors,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
