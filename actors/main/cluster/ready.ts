import type { Cluster } from '../../../src/cluster/contract.ts'
import type { Supervisor } from '../../../src/kernel/supervisor.ts'
import type { ReadyCluster } from '../readiness.ts'
import { isOfAll } from './roles.ts'

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
