import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { payloadOf } from '../../test/harness/load/payload.ts'
import { generator } from '../load/closed-loop.ts'
import { loadAndMeasure, type MeasuredLoad } from '../load/measured-load.ts'
import { type CaseOptions, figure, measure, type Row, type TrialOptions } from '../report.ts'
import { startService } from '../servers/start.ts'

/** Gain of more fronts. They share parsing and answering; one writer commits for all. */
export const title = `scale: accepted and committed incidents/s of 1 kB by http.threads, 64 connections (${generator}, closed loop)`

interface Case {
  readonly fronts: readonly number[]
  readonly rounds: number
  readonly seconds: number
  readonly start: 'warm' | 'cold'
}

const CONNECTIONS = 64
/** Cores for four fronts, the writer and the load generator. */
const CORES = 6

export const cases = ({ quick }: CaseOptions): Case[] => [
  quick
    ? { fronts: [1, 2], rounds: 1, seconds: 1, start: 'cold' }
    : { fronts: [1, 2, 4], rounds: 3, seconds: 2, start: 'warm' },
]

export const leftOut = () =>
  availableParallelism() < CORES
    ? `more fronts than cores: ${CORES} cores would show what four give, here are ${availableParallelism()}`
    : ''

export async function run({ progress, scratch }: TrialOptions, one: Case): Promise<Row[]> {
  const { rounds, seconds, start } = one
  const bodyFile = join(scratch, 'scale.json')
  writeFileSync(bodyFile, JSON.stringify(payloadOf(1_000)))
  const samples = new Map(one.fronts.map((threads) => [threads, [] as MeasuredLoad[]]))
  for (let round = 1; round <= rounds; round++) {
    for (const [threads, taken] of samples) {
      progress(`${threads} fronts, round ${round} of ${rounds}`)
      const server = await startService({ http: { threads } })
      const request = {
        bodyFile,
        seconds,
        connections: CONNECTIONS,
        url: `${server.url}/api/incidents`,
      }
      try {
        taken.push(await loadAndMeasure(server, request, start))
      } finally {
        await server.stop()
      }
    }
  }
  const single = samples.get(1) ?? []
  return Array.from(samples, ([threads, taken]) => row(threads, taken, single))
}

function row(threads: number, taken: readonly MeasuredLoad[], one: readonly MeasuredLoad[]): Row {
  const times = taken.map(({ perSecond }, at) => perSecond / (one[at]?.perSecond ?? Number.NaN))
  return {
    'http.threads': threads,
    'accepted/s': figure(taken, 'perSecond', 0),
    'times one front': measure(times, 2),
    'p99 ms': figure(taken, 'p99Ms', 1),
    'CPU us/incident': figure(taken, 'cpuMicros', 1),
    refused: taken.reduce((sum, { refused }) => sum + refused, 0),
  }
}
