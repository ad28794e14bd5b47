import type { AttemptRecord } from '../../../src/api/attempt.ts'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'

/** The stages of a message, in order, with the words for each. */
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

/** Returns the stages of one attempt, from its claim to the provider's answer, without those that took no time. */
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

/** A stage on the time axis of the waterfall; `from` is in milliseconds since the incident was received. */
interface StageSpan extends Part {
  readonly from: number
}

export interface TimelineRow {
  readonly name: string
  readonly spans: readonly StageSpan[]
  /** End of the last span, on the same axis. */
  readonly end: number
  /** The delivery is not finished. */
  readonly unfinished: boolean
}

/** Returns one row for the commit and one for each destination, up to the last answer of its provider. */
export function timelineRowsOf({ stages, deliveries }: IncidentDetail): TimelineRow[] {
  const zero = Date.parse(stages.received_at)
  const committed = Math.max(0, Date.parse(stages.committed_at) - zero)
  const commit: TimelineRow = {
    name: 'storage',
    spans: [{ stage: 'commit', from: 0, ms: committed }],
    end: committed,
    unfinished: false,
  }
  const rows = deliveries.map((delivery): TimelineRow => {
    const { attempts, state } = delivery
    const spans = attempts.flatMap((attempt) => stageSpansOf(attempt, zero))
    const waited = (spans[0]?.from ?? committed) - committed
    const all = waited > 0 ? [{ stage: 'wait' as const, from: committed, ms: waited }, ...spans] : spans
    const last = all.at(-1)
    const unfinished = state === 'pending' || state === 'sending'
    return { name: destinationName(delivery), spans: all, end: last ? last.from + last.ms : committed, unfinished }
  })
  return [commit, ...rows]
}

/** Puts the stages of an attempt one after the other; the last ends with the provider's answer. */
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
