import type { Outcome } from '../../domain/delivery.ts'
import { askedMs } from '../../domain/retry.ts'
import type { Rate } from '../channel.ts'
import { type CircuitRules, type CircuitState, createCircuits } from './circuit-breakers.ts'
import { createWaitingRoom, PATIENCE_MS } from './deferral.ts'
import { createLimiter, type LimiterTime } from './token-buckets.ts'

/** All that stands between a delivery and the wire, by destination: its rate, its circuit, and room for those who can go soon. */
export interface Gate {
  /** 0: come in. Else in how many milliseconds to ask again. `incident`: grows in the order of creation. */
  waitMs(destination: string, incident: number): number
  enter(destination: string): void
  leave(destination: string): void
  /**
   * Resolves in the order of asking, with the milliseconds waited for the rate, when the destination may be sent to; while a probe is out
   * nobody passes. Rejects when the destination is shut.
   */
  pass(destination: string): Promise<number>
  /** Waits for the rate alone; rejects with the signal's reason. */
  turn(destination: string, signal: AbortSignal): Promise<number>
  /** Asked right before a send. `probing`: ask again after the next `record`. `shut`: not soon. */
  admit(destination: string): 'admitted' | 'probing' | 'shut'
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

export interface GateRules {
  readonly rate: Rate
  readonly circuit: CircuitRules
}

/** Those who wait for one destination. */
interface Wait {
  /** Aborted when the destination is shut. */
  readonly shut: AbortController
  /** Settled by the next record. */
  answered: PromiseWithResolvers<void> | undefined
}

export function createGate({ rate, circuit }: GateRules, clock: LimiterTime): Gate {
  const room = createWaitingRoom(rate, clock)
  const limiter = createLimiter(rate, clock)
  const circuits = createCircuits(circuit, clock)
  const waits = new Map<string, Wait>()

  function waitOf(destination: string): Wait {
    const wait = waits.get(destination) ?? { shut: new AbortController(), answered: undefined }
    waits.set(destination, wait)
    return wait
  }

  /** Its deliveries give their places to those of other destinations. */
  function shut(destination: string, ms: number): void {
    room.shut(destination, ms)
    end(destination)
  }

  function end(destination: string): void {
    const wait = waits.get(destination)
    waits.delete(destination)
    wait?.shut.abort()
    wait?.answered?.resolve()
  }

  return {
    waitMs: room.waitMs,
    enter: room.enter,
    leave: room.leave,
    turn: limiter.take,
    async pass(destination) {
      const wait = waitOf(destination)
      while (circuits.isProbing(destination) && !wait.shut.signal.aborted) {
        wait.answered ??= Promise.withResolvers()
        await wait.answered.promise
      }
      return limiter.take(destination, wait.shut.signal)
    },
    admit(destination) {
      const admission = circuits.admit(destination)
      if (admission.kind === 'open') shut(destination, admission.retryAfterMs)
      return admission.kind === 'open' ? 'shut' : admission.kind
    },
    record(destination, outcome) {
      circuits.record(destination, outcome)
      const pauseMs = outcome.kind === 'retry' ? askedMs(outcome.afterMs) : 0
      if (pauseMs > 0) limiter.pause(destination, pauseMs)
      const shutMs = Math.max(circuits.openForMs(destination), pauseMs > PATIENCE_MS ? pauseMs : 0)
      if (shutMs > 0) return shut(destination, shutMs)
      const wait = waits.get(destination)
      wait?.answered?.resolve()
      if (wait) wait.answered = undefined
    },
    abandon() {
      for (const destination of [...waits.keys()]) end(destination)
    },
    states() {
      const limits = new Map(limiter.states().map((state) => [state.destination, state]))
      return circuits.states().map(({ destination, state }) => {
        const { waiting = 0, waits = 0, waitedMs = 0 } = limits.get(destination) ?? {}
        const retryInMs = circuits.openForMs(destination)
        return { destination, circuit: state, retryInMs, waiting, waits, waitedMs }
      })
    },
  }
}
