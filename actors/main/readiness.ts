import type { Cluster } from '../../src/cluster/contract.ts'
import type { Cell } from '../../src/kernel/cell.ts'
import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import { errorText } from '../../src/text/error-text.ts'
import { createAsks } from './ask.ts'
import { isOfAll } from './cluster/roles.ts'

const CHECK_MS = 2_000

/** What readiness depends on where replicas share a database. */
export interface ReadyCluster {
  /** Returns why this replica cannot commit. */
  problem(): string | undefined
  /** Returns whether a thread runs on every replica. The others deliver; incidents are accepted without them. */
  isOfAll(thread: string): boolean
}

/**
 * Names what keeps the service from taking incidents: threads and actors that are not up, or a disk that refuses a
 * write. Rejects with `ask_timeout` or `peer_down` when a thread that is up does not answer.
 */
export async function notReady(
  supervisor: Supervisor,
  ingest: Pick<Cell<never>, 'status'>,
  cluster?: ReadyCluster,
): Promise<string[]> {
  const problem = cluster?.problem()
  if (problem !== undefined) return [problem]
  const threads = supervisor.states().filter(({ name }) => cluster?.isOfAll(name) ?? true)
  const down = threads.filter(({ state }) => state !== 'up')
  if (down.length > 0) return down.map(({ name, state }) => `${name} thread (${state})`)
  const statuses = await Promise.all(threads.map(({ name }) => supervisor.status(name, CHECK_MS)))
  const actors = [ingest.status(), ...statuses.flatMap((status) => status.actors)]
  const restarting = actors.filter(({ state }) => state !== 'up')
  if (restarting.length > 0) return restarting.map(({ name, state }) => `${name} (${state})`)
  const { askJournal, askStorage } = createAsks(supervisor, CHECK_MS)
  const checks = await Promise.all([
    problemOf('journal', askJournal({ kind: 'check' })),
    cluster ? [] : problemOf('storage', askStorage({ kind: 'check' })),
  ])
  return checks.flat()
}

const problemOf = (name: string, check: Promise<void>): Promise<string[]> =>
  check.then(
    () => [],
    (error) => [`${name} (${errorText(error)})`],
  )

/**
 * Returns what the readiness of one replica depends on. It is not ready before incidents are delivered for the first
 * time: another replica leads, or this one with all its threads. Later it accepts them without a leader.
 */
export function readyCluster(
  member: Pick<Cluster, 'leader'> & Pick<ReadyCluster, 'problem'>,
  supervisor: Pick<Supervisor, 'states'>,
): ReadyCluster {
  let hasBegun = false

  function isDelivering(): boolean {
    const leader = member.leader()
    return leader !== undefined && (!leader.self || supervisor.states().every(({ state }) => state === 'up'))
  }

  return {
    isOfAll,
    problem() {
      const problem = member.problem()
      if (problem !== undefined) return problem
      hasBegun ||= isDelivering()
      return hasBegun ? undefined : 'leader (no replica delivers yet)'
    },
  }
}
