import type { ReplicaList, ReplicaRecord } from '../../../src/api/replica.ts'
import type { Cluster, Replica } from '../../../src/cluster/contract.ts'
import type { AdminRoute } from '../../../src/http/contract.ts'
import { isoTime } from '../../../src/text/iso-time.ts'
import { route } from '../api/route.ts'
import { intakeIn } from './figures.ts'

/** `GET /api/admin/replicas`: every replica answers from its own last beat. */
export const replicasRoute = (cluster: Pick<Cluster, 'leader' | 'replicas'>): AdminRoute =>
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
