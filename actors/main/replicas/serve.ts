import type { Cluster } from '../../../src/cluster/contract.ts'
import type { FrontLog } from '../../../src/http/contract.ts'
import type { MainServices } from '../fronts/request-server.ts'
import { clusterTail } from './cluster-tail.ts'
import { clusterTickets } from './cluster-tickets.ts'
import { forwardAdmin, forwardPublic } from './forwarded-routes.ts'
import { LeaderClient } from './leader-client.ts'
import { leaderTail } from './leader-tail.ts'
import { replicasRoute } from './list.ts'

export interface ReplicaDeps {
  readonly cluster: Cluster
  readonly log: FrontLog
  /** The one in force. */
  gatewaySecret(): string
}

/**
 * Returns the services of one replica: those of the leader are its own, a follower asks the leader. Health, metrics, the
 * configuration, the OpenAPI document, the dashboard's files and the intake are each replica's own.
 *
 * @param own as without other replicas
 */
export function serveReplica(own: MainServices, { cluster, log, gatewaySecret }: ReplicaDeps) {
  const client = new LeaderClient({ cluster, gatewaySecret })
  const tickets = clusterTickets(own.tickets, client)
  const leaders = leaderTail({ client, tickets, log })
  return {
    services: {
      ...own,
      admin: [...forwardAdmin(own.admin, client), replicasRoute(cluster), tickets.route],
      publicRoutes: forwardPublic(own.publicRoutes, client),
      tail: clusterTail({ cluster, own: own.tail, leaders }),
      tickets,
    } satisfies MainServices,
    /** Ends requests to the leader. */
    close: () => client.close(),
  }
}
