/** Returns epoch milliseconds as ISO 8601 in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** Like `isoTime`; null for an absent time. */
export const isoTimeOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : isoTime(ms)
