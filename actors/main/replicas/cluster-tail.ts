import type { Cluster } from '../../../src/cluster/contract.ts'
import type { Tail, TailClient } from '../../../src/domain/subscription.ts'

interface ClusterTailDeps {
  readonly cluster: Pick<Cluster, 'leader' | 'watch'>
  /** The tail of this process, where events come while it leads. */
  readonly own: Tail
  /** That of the leader, over the network. */
  readonly leaders: Tail
}

/**
 * Joins clients to the tail of the replica that leads. When that changes, all clients are disconnected: they connect
 * again with the id of their last event, which the next leader does not know, so they are told of a gap.
 */
export function clusterTail({ cluster, own, leaders }: ClusterTailDeps): Tail {
  const clients = new Set<TailClient>()
  const nameOfLeader = () => {
    const leader = cluster.leader()
    return leader === undefined ? '' : `${leader.name} ${leader.address} ${leader.self}`
  }
  let known = nameOfLeader()
  cluster.watch(() => {
    const leader = nameOfLeader()
    if (leader === known) return
    known = leader
    for (const client of [...clients]) client.disconnect('leader_changed')
  })
  return {
    join(client, request) {
      const subscription = (cluster.leader()?.self === true ? own : leaders).join(client, request)
      clients.add(client)
      return {
        refilter: (filter) => subscription.refilter(filter),
        drained: () => subscription.drained(),
        leave: () => {
          clients.delete(client)
          subscription.leave()
        },
      }
    },
  }
}
