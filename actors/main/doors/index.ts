import type { DoorList } from '../../../src/api/door.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { PublicRoute, Submit } from '../../../src/http/contract.ts'
import type { AlertFigures } from '../../../src/telemetry/snapshot.ts'
import { alertmanager } from './alertmanager.ts'
import { createAlerts } from './alerts.ts'
import { DoorCounts } from './counts.ts'
import { type Door, type DoorDeps, publicRoutesOf } from './door.ts'
import { opsgenie } from './opsgenie.ts'
import { otlp } from './otlp.ts'
import { pagerduty } from './pagerduty.ts'
import { pings } from './pings.ts'
import { openRepeatedSigns } from './repeated-signs.ts'
import { createDoorSubmit } from './submit.ts'

interface DoorsDeps extends Omit<DoorDeps, 'submit' | 'counts'> {
  readonly submit: Submit
  /** False on a replica that does not lead. */
  leads(): boolean
}

export type Doors = ReturnType<typeof createDoors>

/** The doors: paths in the shape of other programs' APIs. Safe to close twice. */
export function createDoors({ submit, leads, ...rest }: DoorsDeps) {
  const { clock, settings } = rest
  let closed = false
  const offer = createDoorSubmit({ submit, clock })
  const deps: DoorDeps = {
    ...rest,
    counts: new DoorCounts(() => clock.now()),
    async submit(intake, payloads) {
      if (closed) throw new CodedError('shutting_down')
      return offer(intake, payloads)
    },
  }
  const alerts = createAlerts({
    ...deps,
    leads,
    unknownResolved: (times) => deps.counts.ignored('alertmanager', 'resolved_unknown', times),
    sentAgain: openRepeatedSigns({
      clock,
      heartbeats: () => settings().heartbeats,
      // Without it the next re-send is heard.
      hear: (name) => void deps.pings.ping(name, { signal: 'success' }).catch(() => {}),
    }),
  })
  const doors: readonly Door[] = [alertmanager(deps, alerts), pagerduty(deps), opsgenie(deps), otlp(deps), pings(deps)]
  const routes: PublicRoute[] = doors.flatMap((door) => publicRoutesOf(door, deps))
  return {
    routes,
    status(): DoorList {
      const open = new Set(doors.filter((door) => door.isOpen(settings())).map(({ name }) => name))
      return { doors: deps.counts.status((name) => open.has(name)) }
    },
    /** A person resolved a problem. */
    personResolved: (problem: string) => alerts.mute(problem),
    claims: alerts.claims,
    /** Undefined while the door of the Alertmanager API is off. */
    alerts: (): AlertFigures | undefined => (settings().intake.alertmanager.enable ? alerts.figures() : undefined),
    /** Begins what runs by the clock. */
    start: () => alerts.start(),
    close(): void {
      closed = true
      alerts.close()
    },
  }
}
