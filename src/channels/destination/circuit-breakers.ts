import type { Outcome } from '../../domain/delivery/delivery.ts'
import { createDestinationStates } from './destination-states.ts'

export type CircuitState = 'closed' | 'open' | 'half_open'
type Admission = { readonly kind: 'admitted' | 'probing' } | { readonly kind: 'open'; readonly retryAfterMs: number }

export interface CircuitRules {
  /** Retryable outcomes in a row that open a circuit. */
  readonly failures: number
  readonly openForMs: number
}

interface Circuit {
  state: CircuitState
  /** Failures in a row. */
  failures: number
  /**
   * Open: when a probe may go. Half-open: when the probe counts as lost. Closed: when it last failed. Time of the clock's
   * `elapsed`.
   */
  untilMs: number
}

const ADMITTED: Admission = { kind: 'admitted' }
const PROBING: Admission = { kind: 'probing' }
/** Far above the deadline of a send. */
const PROBE_LOST_MS = 120_000
/** Above the usual delays between the attempts of a delivery. */
const IDLE_AFTER_MS = 3_600_000

export type CircuitBreakers = ReturnType<typeof createCircuitBreakers>

/**
 * One circuit breaker for each destination. Its states:
 *
 * | state | meaning | leaves to |
 * |---|---|---|
 * | closed | sends pass | open, after `failures` retryable outcomes in a row |
 * | open | no send passes for `openForMs` | half_open, with the first send after that time: the probe |
 * | half_open | the probe is under way, no other send passes | closed or open, by the outcome of the probe |
 *
 * Outcomes: `sent` and `failed` close the circuit, because the provider answered. A `retry` with a delay that the
 * provider named closes a half-open circuit and counts as nothing otherwise: the token bucket's pause answers it. Any
 * other `retry` is a failure. A probe without an outcome for 120 s counts as lost, and the next send is the probe.
 *
 * When destinations are many, it forgets those without a failure, and those whose last failure or probe is an hour past.
 * docs/adr/0003-own-circuit-breaker.md says why this is no library.
 * @param clock `elapsed`: monotonic milliseconds
 */
export function createCircuitBreakers({ failures, openForMs }: CircuitRules, clock: { elapsed(): number }) {
  const circuits = createDestinationStates<Circuit>(
    () => ({ state: 'closed', failures: 0, untilMs: 0 }),
    ({ failures, untilMs }) => failures === 0 || clock.elapsed() > untilMs + IDLE_AFTER_MS,
  )

  function failed(circuit: Circuit): void {
    circuit.failures++
    if (circuit.state === 'open') return
    if (circuit.state === 'closed' && circuit.failures < failures) {
      circuit.untilMs = clock.elapsed()
      return
    }
    circuit.state = 'open'
    circuit.untilMs = clock.elapsed() + openForMs
  }

  return {
    /** Call it before each send. Each `admitted` needs one `record` afterwards. */
    admit(destination: string): Admission {
      const circuit = circuits.of(destination)
      if (circuit.state === 'closed') return ADMITTED
      const leftMs = Math.ceil(circuit.untilMs - clock.elapsed())
      if (leftMs > 0) return circuit.state === 'open' ? { kind: 'open', retryAfterMs: leftMs } : PROBING
      circuit.state = 'half_open'
      circuit.untilMs = clock.elapsed() + PROBE_LOST_MS
      return ADMITTED
    },
    record(destination: string, outcome: Outcome): void {
      const circuit = circuits.of(destination)
      const paced = outcome.kind === 'retry' && (outcome.afterMs ?? 0) > 0
      if (outcome.kind === 'retry' && !paced) return failed(circuit)
      if (paced && circuit.state !== 'half_open') return
      circuit.state = 'closed'
      circuit.failures = 0
    },
    isProbing(destination: string): boolean {
      const { state, untilMs } = circuits.of(destination)
      return state === 'half_open' && untilMs > clock.elapsed()
    },
    /** Returns the time until a probe may go; 0 unless open. */
    openForMs(destination: string): number {
      const { state, untilMs } = circuits.of(destination)
      return state === 'open' ? Math.max(0, Math.ceil(untilMs - clock.elapsed())) : 0
    },
    /** Lists the destinations that it keeps. */
    states(): { readonly destination: string; readonly state: CircuitState; readonly failures: number }[] {
      return circuits.entries().map(([destination, { state, failures }]) => ({ destination, state, failures }))
    },
  }
}
