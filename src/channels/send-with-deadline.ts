import type { Outcome } from '../domain/delivery.ts'
import type { Message } from '../domain/message.ts'
import type { Channel } from './channel.ts'

interface SendResult {
  readonly outcome: Outcome
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** Milliseconds until a new connection stood; absent when none was needed, or the channel cannot tell. */
  readonly connectedMs?: number
}

interface SendDeps {
  readonly channel: Channel
  /** From connecting to the provider's answer. */
  readonly timeoutMs: number
  readonly clock: {
    now(): number
    elapsed(): number
    setTimer(delayMs: number, fire: () => void): { cancel(): void }
  }
  /** Reports a bug: an error that the channel threw. */
  failed(error: unknown): void
}

/**
 * Sends one message, measures it, and aborts it at its deadline. Never rejects: an error that the channel throws is
 * reported as a bug and becomes a retry that may duplicate, because the message may have left.
 */
export async function sendWithDeadline(
  { channel, timeoutMs, clock, failed }: SendDeps,
  message: Message,
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
    outcome = await channel.send(message, deadline.signal, onConnected)
  } catch (error) {
    failed(error)
    outcome = { kind: 'retry', reason: 'the channel failed: a bug of Tocsin, see the log', mayDuplicate: true }
  }
  timer.cancel()
  const durationMs = clock.elapsed() - began
  return { outcome, startedAt, durationMs, ...(connectedMs === undefined ? {} : { connectedMs }) }
}
