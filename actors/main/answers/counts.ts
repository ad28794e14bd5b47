import type { AnswerAction, AnswerResult, AnswerVia } from '../../../src/domain/answer.ts'
import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import { Tally } from '../../../src/telemetry/counters.ts'
import { ownBuckets } from '../../../src/telemetry/histogram.ts'
import type { AnswerFigures } from '../../../src/telemetry/snapshot.ts'

export type AnswerCounts = ReturnType<typeof openAnswerCounts>

/** Counts what came back from messages since the process started. */
export function openAnswerCounts() {
  const presses = new Tally()
  const reconnects = new Tally()
  const tookMs = ownBuckets()
  let repliesDropped = 0
  return {
    /** `action`: undefined for a press without a token of this service. */
    pressed: (channel: AnswerVia, action: AnswerAction | undefined, result: AnswerResult): void =>
      presses.add(`${channel} ${action ?? 'none'} ${result}`),
    /** @param ms from the press at the receiver to its record on disk */
    stored: (ms: number): void => tookMs.record(ms),
    /** A receiver that was up is not any more. `reason`: its next state. */
    lost: (channel: ChannelName, reason: string): void => reconnects.add(`${channel} ${reason}`),
    replyDropped: (): void => void repliesDropped++,
    figures: (): Omit<AnswerFigures, 'receivers'> => ({ presses, reconnects, tookMs, repliesDropped }),
  }
}
