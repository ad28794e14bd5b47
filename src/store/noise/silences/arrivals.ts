import type { ChannelName } from '../../../domain/delivery.ts'
import type { Subject } from '../../../policy/fields.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { command } from '../../engine/statement.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { PlannedDelivery, Silenced } from '../../outbox/fan-out.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Holding, SilencedIncident } from './holding.ts'
import type { Holds } from './holds.ts'
import type { Silences } from './silences.ts'

interface ArrivalDeps {
  readonly silences: Pick<Silences, 'holderOf' | 'moved'>
  readonly holding: Pick<Holding, 'deliver' | 'page' | 'resolved'>
  readonly holds: Pick<Holds, 'tell'>
  readonly escalations: Pick<Escalations, 'hold'>
}

/** An incident that is applied while a silence is active. */
interface Arrival {
  /** A silence fits it. */
  readonly isSilenced: boolean
  /** Undefined: the delivery is made as without the silence. */
  deliver(lane: Lane<ChannelName>): Silenced | undefined
  /** Holds its timer. */
  hold(timer: { readonly at: number; readonly waitMs: number }): OncallChange[]
  /** Records what became of it, when its rows are written. */
  applied(planned: readonly PlannedDelivery[]): void
}

/**
 * Opens the look at an incident that is about to be applied. Returns undefined while no silence is active: then nothing
 * is asked. `previous`: number of the incident before it of its fingerprint. Inside `write`.
 */
export function openArrivals({ db, counts }: StoreContext, deps: ArrivalDeps) {
  const { silences, holding, holds, escalations } = deps
  const mark = command(db, 'UPDATE incidents SET silence = ? WHERE seq = ?')

  function silencedBy(silence: number, held: SilencedIncident): Arrival {
    let holdsPage = false
    return {
      isSilenced: true,
      deliver(lane) {
        const kind = holding.deliver(lane, held)
        return kind === 'pass' ? undefined : { kind }
      },
      hold(timer) {
        holdsPage = true
        return [escalations.hold(held.incident, held.fingerprint, timer), ...holding.page(held)]
      },
      applied(planned) {
        record(held, planned)
        if (holdsPage || planned.some(isHeld)) mark.run(silence, held.incident)
      },
    }
  }

  function record(
    { status, fingerprint }: Pick<Subject, 'status' | 'fingerprint'>,
    planned: readonly PlannedDelivery[],
  ) {
    if (status !== 'resolved') for (const each of planned) if (!isHeld(each)) holds.tell(fingerprint, each.lane.code)
    for (const { id } of counts.silences.active) silences.moved(id)
  }

  return function arrive(subject: Subject, incident: number, previous: number | null): Arrival | undefined {
    if (counts.silences.active.length === 0) return undefined
    const silence = silences.holderOf(subject)
    const { fingerprint, severity, status } = subject
    const ended = status === 'resolved' ? holding.resolved(fingerprint, incident) : []
    if (silence !== undefined)
      return silencedBy(silence, { silence, incident, fingerprint, severity, status, previous, ended })
    return { ...UNTOUCHED, applied: (planned) => record(subject, planned) }
  }
}

const UNTOUCHED = { isSilenced: false, deliver: () => undefined, hold: () => [] } as const

const isHeld = ({ placement: { kind } }: PlannedDelivery) => kind === 'held' || kind === 'silenced'
