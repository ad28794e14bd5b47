import type { Cluster } from '../../../src/cluster/contract.ts'
import type { JoinRequest, Subscription, Tail, TailClient } from '../../../src/domain/subscription.ts'

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
export class ClusterTail implements Tail {
  readonly #deps: ClusterTailDeps
  readonly #clients = new Set<TailClient>()
  #leader: string

  constructor(deps: ClusterTailDeps) {
    this.#deps = deps
    this.#leader = this.#current()
    deps.cluster.watch(() => this.#leaderChanged())
  }

  get clients(): number {
    return this.#clients.size
  }

  join(client: TailClient, request: JoinRequest): Subscription {
    const { cluster, own, leaders } = this.#deps
    const subscription = (cluster.leader()?.self === true ? own : leaders).join(client, request)
    this.#clients.add(client)
    return {
      refilter: (filter) => subscription.refilter(filter),
      drained: () => subscription.drained(),
      leave: () => {
        this.#clients.delete(client)
        subscription.leave()
      },
    }
  }

  #current(): string {
    const leader = this.#deps.cluster.leader()
    return leader === undefined ? '' : `${leader.name} ${leader.address} ${leader.self}`
  }

  #leaderChanged(): void {
    const leader = this.#current()
    if (leader === this.#leader) return
    this.#leader = leader
    for (const client of [...this.#clients]) client.disconnect('leader_changed')
  }
}
