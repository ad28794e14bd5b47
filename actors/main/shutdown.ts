import { systemClock } from '../../src/kernel/clock.ts'
import { Lifecycle } from '../../src/kernel/supervision/lifecycle.ts'
import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { logReports } from '../wiring/log-reports.ts'
import type { SystemSettings } from '../wiring/settings.ts'
import type { Member } from './cluster/member.ts'

/** For the whole shutdown, and for the store thread to close the database. */
export const STOP_MS = 8_000
/** Enough to write what was learned. Lines that were not learned are read again. */
const AGENT_STOP_MS = 1_500

interface Closeable {
  close(): unknown
}

interface Intake extends Closeable {
  refuseNew(): unknown
}

type Alone = 'config' | 'metrics' | 'tail' | 'rehearsals' | 'forwarding' | 'topic' | 'doors' | 'answers' | 'heartbeats'

/** `member` and `roles` are absent when no other process shares the storage; `forwarding`: requests to other replicas. */
interface Parts extends Readonly<Record<Alone, Closeable>> {
  readonly supervisor: Supervisor
  readonly member: Pick<Member, 'leave'> | undefined
  readonly roles: Closeable | undefined
  readonly front: Intake
  readonly fronts: Intake
}

/** The last step runs first: stop what brings incidents in, let senders finish, close the journal and store threads at the end. */
export function shutdownOrder(parts: Parts, { agent }: SystemSettings, log: Log): Lifecycle {
  const {
    supervisor,
    member,
    roles,
    front,
    fronts,
    metrics,
    tail,
    config,
    topic,
    doors,
    answers,
    heartbeats,
    rehearsals,
    forwarding,
  } = parts
  const lifecycle = new Lifecycle(systemClock, logReports(log).lifecycle)
  if (!member) lifecycle.push('store thread', () => supervisor.stop('store', STOP_MS))
  lifecycle.push('journal thread', () => supervisor.stop('journal', STOP_MS))
  lifecycle.push('requests to the leader', () => forwarding.close())
  lifecycle.push('front', () => front.close())
  lifecycle.push('other fronts', () => fronts.close())
  lifecycle.push('metrics', () => metrics.close())
  lifecycle.push('tail', () => tail.close())
  if (member) {
    // Before the fronts, which wait for their clients: another replica goes on at once.
    lifecycle.push('lease', () => member.leave())
    lifecycle.push('store thread', () => supervisor.stop('store', STOP_MS))
  }
  lifecycle.push('send thread', () => config.close())
  if (roles) lifecycle.push('roles', () => roles.close())
  lifecycle.push('intake', () => front.refuseNew())
  lifecycle.push('intake of other fronts', () => fronts.refuseNew())
  lifecycle.push('rehearsal', () => rehearsals.close())
  lifecycle.push('topic', () => topic.close())
  lifecycle.push('doors', () => doors.close())
  lifecycle.push('heartbeats', () => heartbeats.close())
  lifecycle.push('receivers', () => answers.close())
  lifecycle.push('agent thread', () => agent.enable && supervisor.stop('agent', AGENT_STOP_MS))
  return lifecycle
}
