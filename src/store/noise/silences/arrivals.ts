import type { ChannelName } from '../../../domain/delivery/delivery.ts'
import type { Subject } from '../../../policy/fields.ts'
import type { Lane } from '../../engine/counts.ts'
import type { PlannedDelivery, Silenced } from '../../outbox/fan-out.ts'
import type { StoreParts } from '../../parts.ts'
import type { Added } from '../../problems/problems.ts'
import type { Holding } from './holding.ts'
import { fittingSilences, type LiveSilence } from './live.ts'

/** An incident that is applied while a silence is active. */
interface Arrival {
  /** A silence fits it. */
  readonly isSilenced: boolean
  /** Undefined: the delivery is made as without the silence. */
  deliver(lane: Lane<ChannelName>): Silenced | undefined
  /** Its timer is held. */
  holdsPage(): void
  /** Records what became of it, when its rows are written. */
  applied(planned: readonly PlannedDelivery[]): void
}

/**
 * Opens the look at an incident that is about to be applied, and that its problem has already. Returns undefined while no
 * silence is active: then nothing is asked. Inside `write`.
 */
export function openArrivals({ db, counts, tellings }: StoreParts, holding: Holding) {
  const mark = db.command('UPDATE incidents SET silence = ? WHERE seq = ?')

  /** Returns the number of the active silence that fits an incident; undefined: none does. */
  function holderOf(subject: Subject, problem: number): number | undefined {
    const fitting = fittingSilences(counts.silences, subject)
    function holding(candidates: readonly LiveSilence[]): LiveSilence | undefined {
      const holders = new Set(tellings.all(problem).map(({ silence }) => silence))
      return holders.size === 0 ? undefined : candidates.find(({ id }) => holders.has(id))
    }
    if (fitting.length > 1) return (holding(fitting) ?? fitting[0])?.id
    if (fitting.length === 1 || subject.status === 'firing') return fitting[0]?.id
    return holding(counts.silences.active)?.id
  }

  function record(problem: number, incident: number, planned: readonly PlannedDelivery[]): void {
    for (const { lane, placement } of planned) {
      const telling = isKept(placement) ? undefined : tellings.of(problem, lane.code)
      // The destination is told of the problem, whose newer incidents are held.
      if (telling !== undefined && telling.held !== null) tellings.put({ ...telling, told: incident })
    }
  }

  return function arrive(subject: Subject, incident: number, added: Added): Arrival | undefined {
    if (counts.silences.active.length === 0) return undefined
    const { problem, previous } = added
    if (previous === null) tellings.isNew(problem)
    const { fingerprint, severity, status } = subject
    const silence = holderOf(subject, problem)
    if (status === 'resolved') holding.resolved(problem, incident)
    function applied(planned: readonly PlannedDelivery[]): void {
      if (status === 'firing') record(problem, incident, planned)
    }
    if (silence === undefined) return { isSilenced: false, deliver: () => undefined, holdsPage() {}, applied }
    const held = { ...added, silence, incident, fingerprint, severity, status }
    let isPageHeld = false
    return {
      isSilenced: true,
      deliver(lane) {
        const kind = holding.deliver(lane, held, added.wasFiring)
        return kind === 'pass' ? undefined : { kind }
      },
      holdsPage() {
        isPageHeld = true
        holding.page(held)
      },
      applied(planned) {
        applied(planned)
        if (isPageHeld || planned.some(({ placement }) => isKept(placement))) mark.run(silence, incident)
      },
    }
  }
}

const isKept = ({ kind }: PlannedDelivery['placement']) => kind === 'held' || kind === 'silenced'
