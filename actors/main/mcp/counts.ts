import { type Buckets, ownBuckets } from '../../../src/telemetry/histogram.ts'
import type { McpFigures } from '../../../src/telemetry/snapshot.ts'

export type McpCounts = ReturnType<typeof openMcpCounts>

/** Counts calls since the process started. */
export function openMcpCounts() {
  const calls = new Map<string, number>()
  const refused = new Map<string, number>()
  const confirmed = new Map<string, number>()
  const tookMs = new Map<string, Buckets>()
  const used = new Map<string, { calls: number; at: number }>()
  return {
    /** @param ms time until the answer was made */
    called(
      { tool, token, outcome }: { tool: string; token: string; outcome: 'ok' | 'refused' | 'failed' },
      ms: number,
    ): void {
      add(calls, `${tool} ${token} ${outcome}`)
      const buckets = tookMs.get(tool) ?? ownBuckets()
      tookMs.set(tool, buckets)
      buckets.record(ms)
    },
    /** @param at epoch milliseconds */
    used: (token: string, at: number): void => void used.set(token, { calls: (used.get(token)?.calls ?? 0) + 1, at }),
    lastUse: (token: string) => used.get(token),
    refused: (reason: string): void => add(refused, reason),
    confirmed: (action: string): void => add(confirmed, action),
    figures: (): McpFigures => ({ calls, refused, confirmed, tookMs }),
  }
}

const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1)
