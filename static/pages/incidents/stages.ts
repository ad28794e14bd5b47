import type { AttemptRecord } from '../../../src/api/attempt.ts'
import type { IncidentDetail } from '../../../src/api/incident.ts'

/** What a message goes through, in this order. */
export const STAGES = {
  commit: 'to disk',
  wait: 'waiting on disk',
  queue: 'waiting for a free sender slot',
  render: 'rendering',
  limiter: 'rate limit',
  connect: 'connecting',
  provider: 'provider',
} as const
export type Stage = keyof typeof STAGES

interface Part {
  readonly stage: Stage
  readonly ms: number
}

/** The stages of one attempt that took any time, from being handed out to the provider's word. */
export function partsOf(attempt: AttemptRecord): Part[] {
  const { queued_ms, render_ms, limiter_wait_ms, connected_ms, confirmed_ms } = attempt
  const connect = Math.min(connected_ms ?? 0, confirmed_ms)
  const parts: Part[] = [
    { stage: 'queue', ms: queued_ms ?? 0 },
    { stage: 'render', ms: render_ms },
    { stage: 'limiter', ms: limiter_wait_ms },
    { stage: 'connect', ms: connect },
    { stage: 'provider', ms: confirmed_ms - connect },
  ]
  return parts.filter(({ ms }) => ms > 0)
}

/** A stretch of the waterfall; milliseconds since the incident was received. */
interface StageSpan extends Part {
  readonly from: number
}

export interface TimelineRow {
  readonly name: string
  readonly spans: readonly StageSpan[]
  /** End of its last stretch. */
  readonly end: number
  /** It goes on: the delivery is not finished. */
  readonly unfinished: boolean
}

/** One lane for the commit and one for each channel; they add up to the time from receiving to the last word of each provider. */
export function timelineRowsOf({ stages, deliveries }: IncidentDetail): TimelineRow[] {
  const zero = Date.parse(stages.received_at)
  const committed = Math.max(0, Date.parse(stages.committed_at) - zero)
  const commit: TimelineRow = {
    name: 'storage',
    spans: [{ stage: 'commit', from: 0, ms: committed }],
    end: committed,
    unfinished: false,
  }
  const lanes = deliveries.map(({ channel, attempts, state }): TimelineRow => {
    const spans = attempts.flatMap((attempt) => stageSpansOf(attempt, zero))
    const waited = (spans[0]?.from ?? committed) - committed
    const all = waited > 0 ? [{ stage: 'wait' as const, from: committed, ms: waited }, ...spans] : spans
    const last = all.at(-1)
    const unfinished = state === 'pending' || state === 'sending'
    return { name: channel, spans: all, end: last ? last.from + last.ms : committed, unfinished }
  })
  return [commit, ...lanes]
}

/** One behind the other up to where the provider spoke: the start is the moment that is known best. */
function stageSpansOf(attempt: AttemptRecord, zero: number): StageSpan[] {
  const parts = partsOf(attempt)
  const total = parts.reduce((sum, { ms }) => sum + ms, 0)
  let from = Date.parse(attempt.started_at) - zero + attempt.confirmed_ms - total
  return parts.map(({ stage, ms }) => {
    const span = { stage, ms, from }
    from += ms
    return span
  })
}
