import type { Outcome } from '../../domain/delivery/delivery.ts'
import { cappedRetryAfterMs } from '../../domain/delivery/retry.ts'
import type { Rate } from '../channel.ts'
import { type CircuitRules, type CircuitState, createCircuitBreakers } from './circuit-breakers.ts'
import { createDeferral, MAX_MEMORY_WAIT_MS } from './deferral.ts'
import { createDestinationStates } from './destination-states.ts'
import { createTokenBuckets, type Place, type ThrottleClock } from './token-buckets.ts'

export interface DestinationState {
  readonly destination: string
  readonly circuit: CircuitState
  /** Time until a probe may go; 0 unless the circuit is open. */
  readonly retryInMs: number
  /** Messages that wait for a token now. */
  readonly waiting: number
  /** Messages that waited for a token since the destination is kept, and the sum of their waits. */
  readonly waits: number
  readonly waitedMs: number
}

interface ThrottleRules {
  readonly rate: Rate
  readonly circuit: CircuitRules
}

/** Shared by all `acquire` calls that wait for one destination; deleted when the destination is suspended. */
interface Wait {
  /** Aborted when the destination is suspended. */
  readonly suspended: AbortController
  acquiring: number
  /** Resolved by the next `record`. */
  probeAnswered: PromiseWithResolvers<void> | undefined
}

export type DestinationThrottle = ReturnType<typeof createDestinationThrottle>

/**
 * Rate, circuit breaker and deferral of a channel's destinations. One delivery passes them from top to bottom:
 *
 *     deferMs ----- cannot go within 10 s -----> back to disk, with a start time (deferral.ts)
 *        | 0
 *     enter         counted as waiting in memory; the caller renders it
 *        |
 *     acquire       waits while a probe is out, then for a token (token-buckets.ts)
 *        |    \---- destination is suspended --> back to disk
 *        |
 *     tryStart ---- circuit is open -----------> back to disk (circuit-breakers.ts)
 *        |    \---- a probe is out ------------> again after the next `record`
 *      (send)
 *        |
 *     record        feeds the circuit breaker; a delay that the provider named pauses the token bucket
 *        |
 *     leave         also for each delivery that went back to disk after `enter`
 *
 * A destination is suspended when its circuit opens, or when the provider named a delay above 10 s: its deliveries
 * that wait in memory go back to disk, so that their slots serve other destinations.
 */
export function createDestinationThrottle({ rate, circuit }: ThrottleRules, clock: ThrottleClock) {
  const deferral = createDeferral(rate, clock)
  const buckets = createTokenBuckets(rate, clock)
  const circuits = createCircuitBreakers(circuit, clock)
  const waits = createDestinationStates<Wait>(
    () => ({ suspended: new AbortController(), acquiring: 0, probeAnswered: undefined }),
    ({ acquiring }) => acquiring === 0,
  )

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
    /** Takes a token without regard to the circuit, for a test message. Rejects with the signal's reason. */
    acquireRate: (destination: string, signal: AbortSignal) => buckets.acquire(destination, signal),
    /**
     * Takes a token, by rank and then in the order of the calls; resolves with the milliseconds waited for it. Waits
     * while a probe is out. Rejects when the destination is suspended.
     */
    async acquire(destination: string, place?: Place): Promise<number> {
      const wait = waits.of(destination)
      wait.acquiring++
      try {
        while (circuits.isProbing(destination) && !wait.suspended.signal.aborted) {
          wait.probeAnswered ??= Promise.withResolvers()
          await wait.probeAnswered.promise
        }
        return await buckets.acquire(destination, wait.suspended.signal, place)
      } finally {
        wait.acquiring--
      }
    },
    /**
     * Asks the circuit breaker; call it right before a send, and `record` after each send that was admitted.
     * `probing`: ask again after the next `record`. `suspended`: put the delivery back to disk.
     */
    tryStart(destination: string): 'admitted' | 'probing' | 'suspended' {
      const permit = circuits.admit(destination)
      if (permit.kind === 'open') suspend(destination, permit.retryAfterMs)
      return permit.kind === 'open' ? 'suspended' : permit.kind
    },
    record(destination: string, outcome: Outcome): void {
      circuits.record(destination, outcome)
      const pauseMs = outcome.kind === 'retry' ? cappedRetryAfterMs(outcome.afterMs) : 0
      if (pauseMs > 0) buckets.pause(destination, pauseMs)
      const suspendMs = Math.max(circuits.openForMs(destination), pauseMs > MAX_MEMORY_WAIT_MS ? pauseMs : 0)
      if (suspendMs > 0) return suspend(destination, suspendMs)
      const wait = waits.get(destination)
      wait?.probeAnswered?.resolve()
      if (wait) wait.probeAnswered = undefined
    },
    /** The circuit is open: no probe may go yet. */
    isOpen: (destination: string) => circuits.openForMs(destination) > 0,
    /** Rejects every `acquire` that waits. */
    abandon(): void {
      for (const [destination] of waits.entries()) end(destination)
    },
    /** Lists the destinations that it keeps: all that were used since the start while they are under 1,000. */
    states(): DestinationState[] {
      const limits = new Map(buckets.states().map((state) => [state.destination, state]))
      return circuits.states().map(({ destination, state }) => {
        const { waiting = 0, waits = 0, waitedMs = 0 } = limits.get(destination) ?? {}
        const retryInMs = circuits.openForMs(destination)
        return { destination, circuit: state, retryInMs, waiting, waits, waitedMs }
      })
    },
  }
}
