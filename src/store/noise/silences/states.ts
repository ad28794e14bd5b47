import { KIND, STATE } from '../../engine/column-codes.ts'
import type { StoreParts } from '../../parts.ts'

type State = 'held' | 'silenced'

/** Deliveries that begin to be held, or are silenced for good, and the silences of their incidents. */
export class HeldStates {
  /** By destination and incident. The last one counts. */
  readonly deliveries = new Map<number, Map<number, State>>()
  /** Incidents by silence. */
  readonly marked = new Map<number, Set<number>>()

  set(incident: number, destination: number, state: State): void {
    const states = this.deliveries.get(destination) ?? new Map<number, State>()
    this.deliveries.set(destination, states.set(incident, state))
  }

  /** A silence holds something of the incident. */
  mark(incident: number, silence: number): void {
    this.marked.set(silence, (this.marked.get(silence) ?? new Set()).add(incident))
  }
}

/** Opens the writing of such states, in lists; nothing may read the deliveries before. Inside `write`. */
export function openWriteStates({ db, statusTracker }: StoreParts) {
  const setState = db.commandList(
    (places) => `UPDATE dispatches SET state = ?, due_at = NULL
       WHERE kind = ${KIND.delivery} AND destination = ? AND number = 0 AND incident IN (${places})`,
  )
  const mark = db.commandList((places) => `UPDATE incidents SET silence = ? WHERE seq IN (${places})`)

  return ({ deliveries, marked }: HeldStates): void => {
    const silenced = new Set<number>()
    for (const [destination, states] of deliveries)
      for (const state of ['held', 'silenced'] as const) {
        const incidents = [...states.keys()].filter((incident) => states.get(incident) === state)
        setState(incidents, STATE[state], destination)
        if (state === 'silenced') for (const incident of incidents) silenced.add(incident)
      }
    for (const [silence, incidents] of marked) mark([...incidents], silence)
    for (const incident of silenced) statusTracker.finish(incident)
  }
}
