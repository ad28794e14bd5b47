import type { AnswerAction, AnswerResult, AnswerVia } from '../../../src/domain/answer.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { Buckets } from '../../../src/telemetry/histogram.ts'
import { SharedNumbers } from '../../../src/telemetry/shared-numbers.ts'
import type { AnswerFigures } from '../../../src/telemetry/snapshot.ts'

export type AnswerCounts = ReturnType<typeof openAnswerCounts>

/** Counts what came back from messages since the process started. */
export function openAnswerCounts() {
  const presses = new Map<string, number>()
  const reconnects = new Map<string, number>()
  const tookMs = new Buckets(new SharedNumbers(new SharedArrayBuffer(BUFFER_BYTES)))
  let repliesDropped = 0
  return {
    /** `action`: undefined for a press without a token of this service. */
    pressed: (channel: AnswerVia, action: AnswerAction | undefined, result: AnswerResult): void =>
      add(presses, `${channel} ${action ?? 'none'} ${result}`),
    /** @param ms from the press at the receiver to its record on disk */
    stored: (ms: number): void => tookMs.record(ms),
    /** A receiver that was up is not any more. `reason`: its next state. */
    lost: (channel: ChannelName, reason: string): void => add(reconnects, `${channel} ${reason}`),
    replyDropped: (): void => void repliesDropped++,
    figures: (): Omit<AnswerFigures, 'receivers'> => ({ presses, reconnects, tookMs, repliesDropped }),
  }
}

/** Room for all buckets of the histogram. */
const BUFFER_BYTES = 4_096

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
