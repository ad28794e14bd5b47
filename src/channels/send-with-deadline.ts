import type { Outcome } from '../domain/delivery.ts'
import type { Message } from '../domain/message.ts'
import type { Channel } from './channel.ts'

/** What one send came to. */
export interface SendResult {
  readonly outcome: Outcome
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
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
  /** A fault of ours. */
  failed(error: unknown): void
}

/**
 * One message on the wire, measured, and aborted at its deadline. A channel answers with outcomes; what it throws is a fault of ours, and
 * nobody knows how far the message got.
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
    outcome = { kind: 'retry', reason: 'internal fault of the channel', mayDuplicate: true }
  }
  timer.cancel()
  const durationMs = clock.elapsed() - began
  return { outcome, startedAt, durationMs, ...(connectedMs === undefined ? {} : { connectedMs }) }
}
