import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { until } from '../../../test/harness/until.ts'
import { measure, type Tables } from '../../report.ts'
import { engineCpuSeconds, startReplicas } from '../../servers/replicas.ts'
import { configOn, leaderOf, stopAll } from './replicas.ts'

const TITLE = 'cluster: cost of idle replicas'

/** Measures what three replicas cost that have nothing to do. */
export async function measureIdle(server: PostgresServer, { seconds }: { readonly seconds: number }): Promise<Tables> {
  const url = await server.database()
  const replicas = await startReplicas(configOn(url), 3)
  try {
    await until(
      () => leaderOf(replicas),
      (found) => found !== undefined,
    )
    await pause(2_000)
    const transactions = async () =>
      Number(
        (
          await server.sql(
            `SELECT xact_commit FROM pg_stat_database WHERE datname = '${new URL(url).pathname.slice(1)}'`,
          )
        )[0]?.xact_commit,
      )
    const cpu = () => replicas.map((replica) => replica.cpuSeconds())
    const before = { engine: await engineCpuSeconds(server), cpu: cpu(), transactions: await transactions() }
    await pause(seconds * 1_000)
    const share = (used: number) => measure([(used / seconds) * 100], 2)
    const after = cpu()
    const used = after.map((seconds, at) => seconds - (before.cpu[at] ?? 0))
    return {
      [TITLE]: [
        {
          replicas: replicas.length,
          'transactions/s of all': measure([((await transactions()) - before.transactions) / seconds], 1),
          'engine CPU %': share((await engineCpuSeconds(server)) - before.engine),
          'CPU % of the busiest replica': share(Math.max(...used)),
          'RSS MB of the smallest': measure([Math.min(...replicas.map((replica) => replica.rssBytes())) / 1e6], 0),
          'RSS MB of the largest': measure([Math.max(...replicas.map((replica) => replica.rssBytes())) / 1e6], 0),
        },
      ],
    }
  } finally {
    await stopAll(replicas)
  }
}
