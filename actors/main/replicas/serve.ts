import type { ReplicaList, ReplicaRecord } from '../../../src/api/replica.ts'
import type { TailTicketAnswer, TailTicketQuestion } from '../../../src/api/tail.ts'
import type { Cluster, Replica } from '../../../src/cluster/contract.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRequest, AdminRoute, FrontLog, TicketStore } from '../../../src/http/contract.ts'
import { isoTime } from '../../../src/text/iso-time.ts'
import { objectOf } from '../api/parameters.ts'
import { route } from '../api/route.ts'
import type { MainServices } from '../fronts/request-server.ts'
import { clusterTail } from './cluster-tail.ts'
import { intakeIn } from './figures.ts'
import { forwardAdmin, forwardPublic } from './forwarded-routes.ts'
import { FORWARDED, LeaderClient } from './leader-client.ts'
import { leaderTail } from './leader-tail.ts'

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

/** `GET /api/admin/replicas`: every replica answers from its own last beat. */
const replicasRoute = (cluster: Pick<Cluster, 'leader' | 'replicas'>): AdminRoute =>
  route('GET', '/api/admin/replicas', () => listOf(cluster))

function listOf(cluster: Pick<Cluster, 'leader' | 'replicas'>): ReplicaList {
  const replicas = [...cluster.replicas()].sort(
    (one, other) => Number(other.leads) - Number(one.leads) || one.name.localeCompare(other.name),
  )
  return { leader: cluster.leader()?.name ?? null, replicas: replicas.map(recordOf) }
}

function recordOf(replica: Replica): ReplicaRecord {
  const { name, address, version, leads, self, startedAt, lastBeatMs, leaseLeftMs, clockOffsetMs } = replica
  const { shares, figures } = replica
  return {
    name,
    address,
    version,
    role: leads ? 'leader' : 'follower',
    self,
    since: isoTime(startedAt),
    last_beat_ms: Math.round(lastBeatMs),
    lease_left_ms: Math.max(0, Math.round(leaseLeftMs)),
    clock_offset_ms: clockOffsetMs === undefined ? null : Math.round(-clockOffsetMs) || 0,
    shares,
    figures: intakeIn(figures) ?? null,
  }
}

const PATH = '/api/admin/replicas/tail-tickets'

/**
 * Tickets of the live tail that are valid once on any replica: the leader issues and redeems them, in its memory. After
 * a change of the leader those that were issued before are not valid.
 */
function clusterTickets(own: TicketStore, client: LeaderClient): TicketStore & { readonly route: AdminRoute } {
  async function ask(question: TailTicketQuestion): Promise<TailTicketAnswer> {
    const { status, body } = await client.send({
      method: 'POST',
      path: PATH,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    })
    if (status === 200) return JSON.parse(body.toString())
    const cause = `the leader answered ${status}: it may be another version, or lead no more; ask again`
    throw new CodedError('peer_down', cause)
  }

  async function answerOf({ body }: AdminRequest): Promise<TailTicketAnswer> {
    client.mustLead()
    const { ticket } = objectOf(body, 'the body')
    if (ticket === undefined) return { ticket: await own.issue() }
    if (typeof ticket !== 'string') throw new CodedError('bad_parameter', 'ticket must be text')
    return { valid: await own.redeem(ticket) }
  }

  return {
    /** For followers. Without a ticket in the body it issues one, else it redeems that. */
    route: { ...route('POST', PATH, answerOf), headers: [FORWARDED] },
    async issue() {
      if (client.leads) return own.issue()
      const { ticket } = await ask({})
      return ticket ?? ''
    },
    async redeem(ticket) {
      if (client.leads) return own.redeem(ticket)
      // Not worth a question: nothing that is not a ticket is sent on.
      if (!/^[\w-]{1,64}$/.test(ticket)) return false
      const { valid } = await ask({ ticket })
      return valid === true
    },
    revoke: () => own.revoke(),
  }
}
