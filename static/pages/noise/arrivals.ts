interface Sample {
  /** Milliseconds since the page was loaded. */
  readonly at: number
  readonly total: number
}

const WINDOW_MS = 60_000
const samples = new Map<string, readonly Sample[]>()

/**
 * Returns the rate of a total over the last minute, or since the page first saw it; undefined at its first sight. Call
 * it with each new total of the destination `name`.
 */
export function arrivalsPerMinute(name: string, total: number): number | undefined {
  const at = performance.now()
  const before = samples.get(name) ?? []
  const last = before.at(-1)
  // A smaller total: the service was restarted.
  const kept = last !== undefined && last.total > total ? [] : before.filter((each) => at - each.at <= WINDOW_MS)
  samples.set(name, last?.total === total && kept.length > 1 ? kept : [...kept, { at, total }])
  const first = kept[0]
  return first === undefined || at - first.at < 1_000
    ? undefined
    : ((total - first.total) * WINDOW_MS) / (at - first.at)
}
