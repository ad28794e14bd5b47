import { Tally } from '../../../src/telemetry/counters.ts'
import { type Buckets, ownBuckets } from '../../../src/telemetry/histogram.ts'
import type { McpFigures } from '../../../src/telemetry/snapshot.ts'

export type McpCounts = ReturnType<typeof openMcpCounts>

/** Counts calls since the process started. */
export function openMcpCounts() {
  const calls = new Tally()
  const refused = new Tally()
  const confirmed = new Tally()
  const tookMs = new Map<string, Buckets>()
  const used = new Map<string, { calls: number; at: number }>()
  return {
    /** @param ms time until the answer was made */
    called(
      { tool, token, outcome }: { tool: string; token: string; outcome: 'ok' | 'refused' | 'failed' },
      ms: number,
    ): void {
      calls.add(`${tool} ${token} ${outcome}`)
      const buckets = tookMs.get(tool) ?? ownBuckets()
      tookMs.set(tool, buckets)
      buckets.record(ms)
    },
    /** @param at epoch milliseconds */
    used: (token: string, at: number): void => void used.set(token, { calls: (used.get(token)?.calls ?? 0) + 1, at }),
    lastUse: (token: string) => used.get(token),
    refused: (reason: string): void => refused.add(reason),
    confirmed: (action: string): void => confirmed.add(action),
    figures: (): McpFigures => ({ calls, refused, confirmed, tookMs }),
  }
}
