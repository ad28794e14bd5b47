import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { figure, type Row, type Tables, type TrialOptions } from '../../report.ts'
import { engineCpuSeconds, type Replica, startReplicas } from '../../servers/replicas.ts'
import type { Server } from '../../servers/server.ts'
import { startSink } from '../../servers/start.ts'
import { alertConfigFor, resetSink, untilReceived } from '../../sinks/sink-client.ts'
import { configOn, post, stopAll } from './replicas.ts'

const TITLE = 'cluster: incidents/s from the post to three channels'

export interface DeliveredCase {
  readonly incidents: number
  readonly rounds: number
}

/** Measures the way from the post to three channels. */
export async function measureDelivered(
  { progress }: TrialOptions,
  server: PostgresServer,
  { incidents, rounds }: DeliveredCase,
): Promise<Tables> {
  const sink = await startSink()
  const rows: Row[] = []
  try {
    const alert = await alertConfigFor(sink, 3)
    for (const count of [1, 3]) {
      const samples: { readonly perSecond: number; readonly engineMicros: number }[] = []
      for (let round = 1; round <= rounds; round++) {
        progress(`${count} replicas, ${incidents} incidents, round ${round} of ${rounds}`)
        const replicas = await startReplicas({ ...configOn(await server.database()), alert }, count)
        try {
          await postAndDeliver(replicas, sink, Math.round(incidents / 4))
          const before = await engineCpuSeconds(server)
          const seconds = await postAndDeliver(replicas, sink, incidents)
          const engine = (await engineCpuSeconds(server)) - before
          samples.push({ perSecond: incidents / seconds, engineMicros: (engine * 1e6) / incidents })
        } finally {
          await stopAll(replicas)
        }
      }
      rows.push({
        replicas: count,
        'incidents/s': figure(samples, 'perSecond', 0),
        'engine CPU us/incident': figure(samples, 'engineMicros', 0),
      })
    }
  } finally {
    await sink.stop()
  }
  return { [TITLE]: rows }
}

const POSTERS = 32

/** Posts over all replicas; resolves with the seconds until all messages have arrived. */
async function postAndDeliver(replicas: readonly Replica[], sink: Server, incidents: number): Promise<number> {
  await resetSink(sink)
  const since = performance.now()
  let posted = 0
  const poster = async (nth: number) => {
    const { url } = replicas[nth % replicas.length] as Replica
    while (posted < incidents) {
      posted++
      await post(url)
    }
  }
  await Promise.all(Array.from({ length: POSTERS }, (_, nth) => poster(nth)))
  await untilReceived(sink, 3 * incidents)
  return (performance.now() - since) / 1_000
}
