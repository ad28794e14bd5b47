import type { Outcome } from '../domain/delivery/delivery.ts'

interface SendResult {
  readonly outcome: Outcome
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** Milliseconds until a new connection stood; absent when none was needed, or the sender cannot tell. */
  readonly connectedMs?: number
}

interface SendDeps {
  /** From connecting to the provider's answer. */
  readonly timeoutMs: number
  readonly clock: {
    now(): number
    elapsed(): number
    setTimer(delayMs: number, fire: () => void): { cancel(): void }
  }
  /** Makes the request, for the outcome of a bug. */
  readonly sender: 'channel' | 'on-call provider'
  /** Reports a bug: an error that `send` threw. */
  failed(error: unknown): void
}

/**
 * Sends once, measures it, and aborts it at its deadline. Never rejects: an error that `send` throws is reported as a
 * bug and becomes a retry that may duplicate, because the request may have left.
 */
export async function sendWithDeadline(
  { sender, timeoutMs, clock, failed }: SendDeps,
  send: (signal: AbortSignal, onConnected: () => void) => Promise<Outcome>,
  deadline: AbortController,
): Promise<SendResult> {
  const startedAt = clock.now()
  const began = clock.elapsed()
  let connectedMs: number | undefined
  const onConnected = () => {
    connectedMs ??= clock.elapsed() - began
  }
  const timer = clock.setTimer(timeoutMs, () => deadline.abort())
  let outcome: Outcome
  try {
    outcome = await send(deadline.signal, onConnected)
  } catch (error) {
    failed(error)
    outcome = { kind: 'retry', reason: `the ${sender} failed: a bug of Tocsin, see the log`, mayDuplicate: true }
  }
  timer.cancel()
  const durationMs = clock.elapsed() - began
  return { outcome, startedAt, durationMs, ...(connectedMs === undefined ? {} : { connectedMs }) }
}
