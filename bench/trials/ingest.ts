import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generator, type LoadResult, load } from '../load/load.ts'
import { type Server, startBaseline, startService } from '../load/server.ts'
import { groupedAlert } from '../payload.ts'
import { median, type Row, type TrialOptions } from '../report.ts'

/** Durable accepted incidents per second, against the same front that only parses and answers, interleaved A B A B. */
export const title = `ingest: accepted incidents/s, 1 kB grouped alert, no channel enabled (${generator})`

interface Sample extends LoadResult {
  readonly cpuMicros: number
}

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rounds = quick ? 1 : 5
  const seconds = quick ? 3 : 6
  const bodyFile = join(tmpdir(), `tocsin-bench-body-${process.pid}.json`)
  writeFileSync(bodyFile, JSON.stringify(groupedAlert()))
  const rows: Row[] = []
  for (const connections of [64, 256]) {
    const durable: Sample[] = []
    const volatile: Sample[] = []
    for (let round = 1; round <= rounds; round++) {
      progress(`${connections} connections, round ${round} of ${rounds}`)
      volatile.push(await sample(startBaseline, { bodyFile, connections, seconds }))
      durable.push(await sample(startService, { bodyFile, connections, seconds }))
    }
    rows.push(row(connections, durable, volatile))
  }
  return rows
}

async function sample(
  start: () => Promise<Server>,
  request: { bodyFile: string; connections: number; seconds: number },
): Promise<Sample> {
  const server = await start()
  const url = `http://127.0.0.1:${server.port}/api/incidents`
  try {
    await load({ ...request, url, seconds: 1 })
    const before = server.cpuSeconds()
    const result = await load({ ...request, url })
    const spent = server.cpuSeconds() - before
    return { ...result, cpuMicros: (spent / (result.perSecond * request.seconds)) * 1e6 }
  } finally {
    await server.stop()
  }
}

function row(connections: number, durable: readonly Sample[], volatile: readonly Sample[]): Row {
  const rate = (samples: readonly Sample[]) => median(samples.map(({ perSecond }) => perSecond))
  const p99 = (samples: readonly Sample[]) => median(samples.map(({ p99Ms }) => p99Ms))
  return {
    connections,
    'durable/s': Math.round(rate(durable)),
    'parse and answer/s': Math.round(rate(volatile)),
    ratio: Number((rate(durable) / rate(volatile)).toFixed(3)),
    'ratio per round': durable
      .map(({ perSecond }, at) => (perSecond / (volatile[at]?.perSecond ?? 1)).toFixed(2))
      .join(' '),
    'p99 ms': Number(p99(durable).toFixed(2)),
    'p99 ms baseline': Number(p99(volatile).toFixed(2)),
    'CPU us/incident': Number(median(durable.map(({ cpuMicros }) => cpuMicros)).toFixed(1)),
    'CPU us baseline': Number(median(volatile.map(({ cpuMicros }) => cpuMicros)).toFixed(1)),
    refused: durable.reduce((sum, { refused }) => sum + refused, 0),
  }
}
