import { begun, nextAt, step } from '../../src/policy/bundles/bundle.ts'
import type { Bundle, BundleEffect, BundleEvent, RevisionResult } from '../../src/policy/bundles/bundle-state.ts'
import {
  type Alert,
  calm,
  calmAt,
  type LaneEffect,
  type LaneEvent,
  type LaneState,
  laneStep,
  type Unfinished,
} from '../../src/policy/bundles/lane.ts'
import { type Pace, paceOf } from '../../src/policy/bundles/pace.ts'
import type { StormParameters } from '../../src/policy/bundles/storm-parameters.ts'

export type StormEffect = LaneEffect | BundleEffect
export type HandOut = Extract<BundleEffect, { kind: 'hand out' }>

/** A destination and its open digest, which take their steps as in the store. */
export class StormMachine {
  readonly parameters: StormParameters
  readonly #pace: Pace
  state: LaneState
  digest: Bundle | undefined
  #isEditable = false

  constructor(parameters: StormParameters, now: number) {
    this.parameters = parameters
    this.state = calm(now)
    this.#pace = paceOf('storm', { edits: parameters.edits, remindMs: 0, storm: parameters })
  }

  arrive(alert: Alert, unfinished: Unfinished, now: number, committedAt = now): readonly StormEffect[] {
    const isEnding = this.digest?.state === 'ending'
    return this.#lane({ kind: 'arrived', alert, unfinished, committedAt, isEnding }, now)
  }

  flood(now: number): readonly StormEffect[] {
    return this.#lane({ kind: 'flooded' }, now)
  }

  place(count: number, urgent: boolean, now: number): void {
    this.bundle({ kind: 'placed', count, urgent }, now)
  }

  claim(unfinished: Unfinished, now: number): readonly StormEffect[] {
    const message = this.#isEditable ? 'stands' : 'none'
    const facts = { message, isSilenced: false, isTaken: false, calmAt: this.#calmAt(unfinished) } as const
    return this.bundle({ kind: 'claimed', ...facts }, now)
  }

  /** A revision that is told can be edited. */
  settle(result: RevisionResult, now: number): readonly StormEffect[] {
    if (result.state === 'told') this.#isEditable = true
    if (result.state === 'gone') this.#isEditable = false
    return this.bundle({ kind: 'settled', result }, now)
  }

  moveClock(byMs: number, now: number): void {
    this.#lane({ kind: 'clock moved', byMs }, now)
    this.bundle({ kind: 'clock moved', byMs }, now)
  }

  nextAt(unfinished: Unfinished): number {
    return this.digest === undefined ? Infinity : nextAt(this.digest, this.#pace, this.#calmAt(unfinished))
  }

  bundle(event: BundleEvent, now: number): readonly StormEffect[] {
    if (this.digest === undefined) return []
    const [digest, effects] = step(this.digest, event, now, this.#pace)
    // It is kept in a row of a database, where no time is NULL.
    this.digest = JSON.parse(JSON.stringify(digest), (name, value) =>
      name === 'dueAt' && value === null ? Infinity : value,
    )
    if (!effects.some(({ kind }) => kind === 'close')) return effects
    this.digest = undefined
    this.#lane({ kind: 'over' }, now)
    return effects
  }

  #calmAt(unfinished: Unfinished): number {
    return calmAt(this.state, unfinished, this.parameters)
  }

  #lane(event: LaneEvent, now: number): readonly StormEffect[] {
    const [state, effects] = laneStep(this.state, event, now, this.parameters)
    this.state = JSON.parse(JSON.stringify(state))
    for (const effect of effects) {
      if (effect.kind === 'open') {
        this.digest = begun({ kind: 'storm', since: effect.since, postedAt: now, now }, this.#pace)
        this.#isEditable = false
      }
      if (effect.kind === 'fold') this.place(1, effect.urgent, now)
    }
    return effects
  }
}
