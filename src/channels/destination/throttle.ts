import type { Outcome } from '../../domain/delivery.ts'
import { cappedRetryAfterMs } from '../../domain/retry.ts'
import type { Rate } from '../channel.ts'
import { type CircuitRules, type CircuitState, createCircuitBreakers } from './circuit-breakers.ts'
import { createDeferral, MAX_MEMORY_WAIT_MS } from './deferral.ts'
import { createTokenBuckets, type ThrottleClock } from './token-buckets.ts'

/** All that stands between a delivery and the wire, by destination: its rate, its circuit, and room for those who can go soon. */
export interface DestinationThrottle {
  /** 0: come in. Else in how many milliseconds to ask again. `incident`: grows in the order of creation. */
  deferMs(destination: string, incident: number): number
  enter(destination: string): void
  leave(destination: string): void
  /**
   * Resolves in the order of asking, with the milliseconds waited for the rate, when the destination may be sent to; while a probe is out
   * nobody passes. Rejects when the destination is shut.
   */
  acquire(destination: string): Promise<number>
  /** Waits for the rate alone; rejects with the signal's reason. */
  acquireRate(destination: string, signal: AbortSignal): Promise<number>
  /** Asked right before a send. `probing`: ask again after the next `record`. `shut`: not soon. */
  tryStart(destination: string): 'admitted' | 'probing' | 'suspended'
  /** What each send came to. */
  record(destination: string, outcome: Outcome): void
  /** Ends all waiting. */
  abandon(): void
  /** Of every destination that was asked for. */
  states(): DestinationState[]
}

export interface DestinationState {
  readonly destination: string
  readonly circuit: CircuitState
  /** Until a probe may go; 0 unless open. */
  readonly retryInMs: number
  readonly waiting: number
  /** Messages that waited for the rate since the start, and how long in all. */
  readonly waits: number
  readonly waitedMs: number
}

export interface ThrottleRules {
  readonly rate: Rate
  readonly circuit: CircuitRules
}

/** Those who wait for one destination. */
interface Wait {
  /** Aborted when the destination is shut. */
  readonly suspended: AbortController
  /** Settled by the next record. */
  probeAnswered: PromiseWithResolvers<void> | undefined
}

export function createDestinationThrottle({ rate, circuit }: ThrottleRules, clock: ThrottleClock): DestinationThrottle {
  const deferral = createDeferral(rate, clock)
  const buckets = createTokenBuckets(rate, clock)
  const circuits = createCircuitBreakers(circuit, clock)
  const waits = new Map<string, Wait>()

  function waitOf(destination: string): Wait {
    const wait = waits.get(destination) ?? { suspended: new AbortController(), probeAnswered: undefined }
    waits.set(destination, wait)
    return wait
  }

  /** Its deliveries give their places to those of other destinations. */
  function suspend(destination: string, ms: number): void {
    deferral.suspend(destination, ms)
    end(destination)
  }

  function end(destination: string): void {
    const wait = waits.get(destination)
    waits.delete(destination)
    wait?.suspended.abort()
    wait?.probeAnswered?.resolve()
  }

  return {
    deferMs: deferral.deferMs,
    enter: deferral.enter,
    leave: deferral.leave,
    acquireRate: buckets.acquire,
    async acquire(destination) {
      const wait = waitOf(destination)
      while (circuits.isProbing(destination) && !wait.suspended.signal.aborted) {
        wait.probeAnswered ??= Promise.withResolvers()
        await wait.probeAnswered.promise
      }
      return buckets.acquire(destination, wait.suspended.signal)
    },
    tryStart(destination) {
      const admission = circuits.admit(destination)
      if (admission.kind === 'open') suspend(destination, admission.retryAfterMs)
      return admission.kind === 'open' ? 'suspended' : admission.kind
    },
    record(destination, outcome) {
      circuits.record(destination, outcome)
      const pauseMs = outcome.kind === 'retry' ? cappedRetryAfterMs(outcome.afterMs) : 0
      if (pauseMs > 0) buckets.pause(destination, pauseMs)
      const suspendMs = Math.max(circuits.openForMs(destination), pauseMs > MAX_MEMORY_WAIT_MS ? pauseMs : 0)
      if (suspendMs > 0) return suspend(destination, suspendMs)
      const wait = waits.get(destination)
      wait?.probeAnswered?.resolve()
      if (wait) wait.probeAnswered = undefined
    },
    abandon() {
      for (const destination of [...waits.keys()]) end(destination)
    },
    states() {
      const limits = new Map(buckets.states().map((state) => [state.destination, state]))
      return circuits.states().map(({ destination, state }) => {
        const { waiting = 0, waits = 0, waitedMs = 0 } = limits.get(destination) ?? {}
        const retryInMs = circuits.openForMs(destination)
        return { destination, circuit: state, retryInMs, waiting, waits, waitedMs }
      })
    },
  }
}
