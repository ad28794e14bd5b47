import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { until } from '../../../test/harness/until.ts'
import { measure, type Tables, type TrialOptions } from '../../report.ts'
import { type Replica, startReplicas } from '../../servers/replicas.ts'
import type { Server } from '../../servers/server.ts'
import { startSink } from '../../servers/start.ts'
import { alertConfigFor, askSink } from '../../sinks/sink-client.ts'
import { configOn, LEASE_MS, leaderOf, post, stopAll } from './replicas.ts'

const TITLE = 'cluster: take-over after a kill of the leader, lease of 5 s'
/** Promised beside the lease. */
const TAKE_OVER_EXTRA_MS = 1_500
const POLL_MS = 5

/** Measures the silence of a channel after a kill of the leader. */
export async function measureTakeOver(
  { progress }: TrialOptions,
  server: PostgresServer,
  { rounds }: { readonly rounds: number },
): Promise<Tables> {
  const sink = await startSink()
  const silences: number[] = []
  const answers: number[] = []
  try {
    const alert = await alertConfigFor(sink, 1)
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      const replicas = await startReplicas({ ...configOn(await server.database()), alert }, 3)
      try {
        const leader = await until(
          () => leaderOf(replicas),
          (found) => found !== undefined,
        )
        const followers = replicas.filter((replica) => replica !== leader)
        if (leader === undefined || followers[0] === undefined) throw new Error('no replica leads')
        const { silenceMs, answersMs } = await killAndWait(leader, followers[0], sink)
        silences.push(silenceMs)
        answers.push(...answersMs)
      } finally {
        await stopAll(replicas)
      }
    }
  } finally {
    await sink.stop()
  }
  const sorted = answers.sort((a, b) => a - b)
  return {
    [TITLE]: [
      {
        kills: rounds,
        'silence ms': measure(silences, 0),
        'longest ms': measure([Math.max(...silences)], 0, { atMost: LEASE_MS + TAKE_OVER_EXTRA_MS }),
        'p99 ms of answers meanwhile': measure([sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN], 1),
      },
    ],
  }
}

/** Posts to a follower every few milliseconds, kills the leader, and resolves with the time until a message arrives. */
async function killAndWait(leader: Replica, follower: Replica, sink: Server) {
  const received = async () => (await askSink<{ count: number }>(sink, '/count')).count
  await post(follower.url)
  await until(received, (count) => count > 0)
  leader.kill()
  const killedAt = performance.now()
  const before = await received()
  const answersMs: number[] = []
  for (;;) {
    const since = performance.now()
    await post(follower.url)
    answersMs.push(performance.now() - since)
    if ((await received()) > before) return { silenceMs: performance.now() - killedAt, answersMs }
    await pause(POLL_MS)
  }
}
