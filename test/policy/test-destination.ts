import type { BundleEvent, RevisionResult } from '../../src/policy/bundles/bundle-state.ts'
import type { Alert } from '../../src/policy/bundles/lane.ts'
import type { StormParameters } from '../../src/policy/bundles/storm-parameters.ts'
import { type StormEffect, StormMachine } from './storm-machine.ts'

export const START = 1_700_000_000_000
/** From the commit of an alert to its step. */
export const APPLY_MS = 40

/** One destination in the hands of a test, which sets the time and what is unfinished. */
export class TestDestination {
  readonly parameters: StormParameters
  readonly machine: StormMachine
  now = START
  unfinished = { singles: 0, urgents: 0 }

  constructor(parameters: StormParameters) {
    this.parameters = parameters
    this.machine = new StormMachine(parameters, START)
  }

  get state() {
    return this.machine.state
  }

  apply(event: BundleEvent): readonly StormEffect[] {
    return this.machine.bundle(event, this.now)
  }

  /** Returns the kinds of the effects. A single waits until `unfinished` is set. */
  arrive(alert: Alert): string[] {
    const effects = kinds(this.machine.arrive(alert, this.unfinished, this.now, this.now - APPLY_MS))
    const { singles, urgents } = this.unfinished
    const urgent = alert.priority === 'high' ? 1 : 0
    if (effects.includes('single')) this.unfinished = { singles: singles + 1, urgents: urgents + urgent }
    return effects
  }

  pass(ms: number): void {
    this.now += ms
  }

  /** Milliseconds until the next revision. */
  wakesIn(): number {
    return Math.max(0, this.machine.nextAt(this.unfinished) - this.now)
  }

  claim(): readonly StormEffect[] {
    return this.machine.claim(this.unfinished, this.now)
  }

  settle(result: RevisionResult): readonly StormEffect[] {
    return this.machine.settle(result, this.now)
  }

  /** Lets time pass until the next revision, which the provider takes. Returns how it was sent. */
  tell(): string | undefined {
    this.pass(this.wakesIn())
    const [way] = ways(this.claim())
    this.settle({ state: 'told' })
    return way
  }
}

/** Returns the kinds of the effects, in order. */
export const kinds = (effects: readonly StormEffect[]) => effects.map(({ kind }) => kind)
/** Like `kinds`, with `post` or `edit` for a revision. */
export const ways = (effects: readonly StormEffect[]) =>
  effects.map((effect) => (effect.kind === 'hand out' ? effect.way : effect.kind))
