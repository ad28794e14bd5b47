import { SingleFlight } from '../../src/async/single-flight.ts'
import { openSite } from '../../src/dashboard/site.ts'
import type { LoginThrottle } from '../../src/http/auth.ts'
import { Tickets } from '../../src/http/tickets.ts'
import type { Cell } from '../../src/kernel/cell.ts'
import { sinceBootMs } from '../../src/kernel/clock.ts'
import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import type { Hub } from '../../src/tail/hub.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { VERSION } from '../../src/telemetry/version.ts'
import { type ApiDeps, apiRoutes } from './api/routes.ts'
import type { Member } from './cluster/member.ts'
import { probeRoutes } from './doors/probes.ts'
import type { MainServices } from './fronts/request-server.ts'
import type { MetricsServing } from './metrics.ts'
import { notReady } from './readiness.ts'

interface ServicesDeps extends Omit<ApiDeps, 'version'> {
  /** Absent when no other process shares the storage. */
  readonly member: Member | undefined
  readonly supervisor: Supervisor
  readonly ingest: Pick<Cell<never>, 'status'>
  readonly hub: Hub
  readonly metrics: Pick<MetricsServing, 'forFront'>
  readonly log: Log
  readonly throttle: LoginThrottle
}

/** Puts together what all fronts offer beside the intake. `close` ends requests to other replicas. */
export function mainServices({ member, supervisor, ingest, hub, metrics, log, throttle, ...api }: ServicesDeps) {
  const { settings } = api
  const site = new SingleFlight(() => openSite(settings().storage.dataDir))
  const cluster = member?.readiness(supervisor)
  const ready = () => notReady(supervisor, ingest, cluster)
  const routes = apiRoutes({ ...api, version: VERSION })
  const services: MainServices = {
    ...routes,
    publicRoutes: [...routes.publicRoutes, ...probeRoutes(settings, ready)],
    ready,
    tail: hub,
    tickets: new Tickets(sinceBootMs),
    throttle,
    pages: () => site.run(),
    ...metrics.forFront,
  }
  return member?.serve(services, { log, gatewaySecret: () => settings().gatewaySecret }) ?? { services, close() {} }
}
