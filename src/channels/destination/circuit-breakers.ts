import type { Outcome } from '../../domain/delivery.ts'

/**
 * A circuit breaker per destination: closed -> open after `failures` retryable outcomes in a row -> half-open with one probe -> closed or open again.
 *
 * A refusal (`failed`) shows that the provider is there, so it closes. A retry for which the provider named a time is its way of
 * pacing us: it is no failure, and the limiter's `pause` is what answers it.
 *
 * Own code, because cockatiel's breaker wraps the call it protects (here asking and telling are apart), makes callers wait for the
 * probe (here each decides whether to wait here or on disk), and reads the machine's clock.
 */
export interface CircuitBreakers {
  /** Asked before each send; an admitted send owes one `record`. */
  admit(destination: string): Admission
  record(destination: string, outcome: Outcome): void
  /** A probe is out: its answer is about to decide. */
  isProbing(destination: string): boolean
  /** Until a probe may go; 0 unless open. */
  openForMs(destination: string): number
  /** Of every destination that was asked for. */
  states(): { readonly destination: string; readonly state: CircuitState; readonly failures: number }[]
}

export type CircuitState = 'closed' | 'open' | 'half_open'
export type Admission =
  | { readonly kind: 'admitted' | 'probing' }
  | { readonly kind: 'open'; readonly retryAfterMs: number }

export interface CircuitRules {
  /** Retryable outcomes in a row that open it. */
  readonly failures: number
  readonly openForMs: number
}

interface Circuit {
  state: CircuitState
  /** In a row. */
  failures: number
  /** Open: when a probe may go. Half-open: when the probe counts as lost and another may go. */
  untilMs: number
}

const ADMITTED: Admission = { kind: 'admitted' }
const PROBING: Admission = { kind: 'probing' }
/** Far beyond any deadline of a send. */
const PROBE_LOST_MS = 120_000

/**
 * Destinations are few (those the configuration lists), so circuits are never dropped.
 * @param clock `elapsed`: milliseconds that only ever grow
 */
export function createCircuitBreakers(
  { failures, openForMs }: CircuitRules,
  clock: { elapsed(): number },
): CircuitBreakers {
  const circuits = new Map<string, Circuit>()

  function circuitOf(destination: string): Circuit {
    let circuit = circuits.get(destination)
    if (!circuit) {
      circuit = { state: 'closed', failures: 0, untilMs: 0 }
      circuits.set(destination, circuit)
    }
    return circuit
  }

  function failed(circuit: Circuit): void {
    circuit.failures++
    if (circuit.state === 'open' || (circuit.state === 'closed' && circuit.failures < failures)) return
    circuit.state = 'open'
    circuit.untilMs = clock.elapsed() + openForMs
  }

  return {
    admit(destination) {
      const circuit = circuitOf(destination)
      if (circuit.state === 'closed') return ADMITTED
      const leftMs = Math.ceil(circuit.untilMs - clock.elapsed())
      if (leftMs > 0) return circuit.state === 'open' ? { kind: 'open', retryAfterMs: leftMs } : PROBING
      circuit.state = 'half_open'
      circuit.untilMs = clock.elapsed() + PROBE_LOST_MS
      return ADMITTED
    },
    record(destination, outcome) {
      const circuit = circuitOf(destination)
      const paced = outcome.kind === 'retry' && (outcome.afterMs ?? 0) > 0
      if (outcome.kind === 'retry' && !paced) return failed(circuit)
      if (paced && circuit.state !== 'half_open') return
      circuit.state = 'closed'
      circuit.failures = 0
    },
    isProbing(destination) {
      const { state, untilMs } = circuitOf(destination)
      return state === 'half_open' && untilMs > clock.elapsed()
    },
    openForMs(destination) {
      const { state, untilMs } = circuitOf(destination)
      return state === 'open' ? Math.max(0, Math.ceil(untilMs - clock.elapsed())) : 0
    },
    states() {
      return [...circuits].map(([destination, { state, failures }]) => ({ destination, state, failures }))
    },
  }
}
