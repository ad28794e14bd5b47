import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { payloadOf } from '../../../test/harness/load/payload.ts'
import { SECRET } from '../../../test/harness/net/requests.ts'
import { loadAndMeasure, type MeasuredLoad } from '../../load/measured-load.ts'
import { figure, measure, type Tables, type TrialOptions } from '../../report.ts'
import { stats } from '../../servers/admin.ts'
import type { Server } from '../../servers/server.ts'
import { startService } from '../../servers/start.ts'
import { postAlerts, sameAlerts } from './bodies.ts'
import { ratios } from './subjects.ts'

/** 10,000 alerts that fire and are sent again: what it writes, and what it costs incidents that come meanwhile. */
export interface AgainCase {
  /** Times each alert is sent again. */
  readonly times: number
  readonly rounds: number
  readonly seconds: number
}

const FIRING = 10_000
const PER_REQUEST = 256
/** Prometheus sends what fires again once a minute. */
const MINUTE_MS = 60_000
const LEAST_RATIO = 0.98

export async function measureAgain({ progress, scratch }: TrialOptions, one: AgainCase): Promise<Tables> {
  const requests = sameAlerts(FIRING, PER_REQUEST)
  progress(`${FIRING} alerts sent again ${one.times} times`)
  const written = await measureWritten(requests, one.times)
  const bodyFile = join(scratch, 'beside.json')
  writeFileSync(bodyFile, JSON.stringify(payloadOf(1_000)))
  const beside: MeasuredLoad[] = []
  const alone: MeasuredLoad[] = []
  for (let round = 1; round <= one.rounds; round++)
    for (const into of round % 2 === 1 ? [beside, alone] : [alone, beside]) {
      progress(`incidents ${into === beside ? 'beside alerts' : 'alone'}, round ${round} of ${one.rounds}`)
      into.push(await measureIncidents(into === beside ? requests : [], bodyFile, one.seconds))
    }
  const rates = (samples: readonly MeasuredLoad[]) => samples.map(({ perSecond }) => perSecond)
  return {
    [`alerts: ${FIRING} alerts that fire, sent again ${one.times} times`]: [
      {
        'bytes written': measure([written.bytes], 0, { atMost: 0 }),
        'main CPU us/alert': measure([written.mainMicros], 1),
        'MB more': measure([written.moreBytes / 1e6], 0),
      },
    ],
    [`alerts: incidents accepted on 64 connections, while ${FIRING} alerts are sent again in a minute`]: [
      {
        'accepted/s': figure(beside, 'perSecond', 0),
        'accepted/s alone': figure(alone, 'perSecond', 0),
        ratio: measure(ratios(rates(beside), rates(alone)), 3, { atLeast: LEAST_RATIO }),
        'p99 ms': figure(beside, 'p99Ms', 1),
        'p99 ms alone': figure(alone, 'p99Ms', 1),
      },
    ],
  }
}

async function measureWritten(requests: readonly string[], times: number) {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-again-'))
  const service = await startService({ storage: { file: { data_dir: dir } } })
  try {
    const rssBefore = service.rssBytes()
    await postAlerts(service.url, requests)
    const before = await settledBytes(dir)
    const cpuBefore = mainSeconds(service)
    for (let time = 0; time < times; time++) await postAlerts(service.url, requests)
    const mainMicros = ((mainSeconds(service) - cpuBefore) * 1e6) / (times * FIRING)
    return { bytes: (await settledBytes(dir)) - before, mainMicros, moreBytes: service.rssBytes() - rssBefore }
  } finally {
    await service.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

const mainSeconds = (service: Server) => {
  const threads = service.cpuSecondsByThread()
  return threads.main ?? threads.node ?? Number.NaN
}

/** Returns the bytes of a data directory once they have been the same for two seconds. */
async function settledBytes(dir: string): Promise<number> {
  for (let last = -1, bytes = bytesOf(dir); ; last = bytes, bytes = bytesOf(dir)) {
    if (bytes === last) return bytes
    await pause(2_000)
  }
}

const bytesOf = (dir: string) =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )

/** Loads a service with incidents, while alerts are sent again evenly over each minute. */
async function measureIncidents(requests: readonly string[], bodyFile: string, seconds: number): Promise<MeasuredLoad> {
  const service = await startService({ gateway_secret: SECRET })
  try {
    await postAlerts(service.url, requests)
    while (((await stats(service)).storage?.unapplied ?? 0) > 0) await pause(100)
    const sending = startSending(service, requests)
    const request = { url: `${service.url}/api/incidents`, bodyFile, connections: 64, seconds }
    const load = await loadAndMeasure(service, request)
    await sending.stop()
    return load
  } finally {
    await service.stop()
  }
}

function startSending({ url }: Server, requests: readonly string[]): { stop(): Promise<void> } {
  const under = new Set<Promise<void>>()
  let [at, failure] = [0, undefined as unknown]
  const timer =
    requests.length > 0 &&
    setInterval(() => {
      const sent = postAlerts(url, [requests[at++ % requests.length] ?? ''])
        .catch((error) => {
          failure = error
        })
        .finally(() => under.delete(sent))
      under.add(sent)
    }, MINUTE_MS / requests.length)
  return {
    async stop() {
      if (timer) clearInterval(timer)
      await Promise.all(under)
      if (failure !== undefined) throw failure
    },
  }
}
