/** Returns epoch milliseconds as ISO 8601 in UTC. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i

/** Reads a time with its zone, `Z` or `+02:00`, as epoch milliseconds; NaN: it is none. Without one it would be the server's. */
export const timeWithZone = (text: string): number => (ZONED.test(text) ? Date.parse(text) : Number.NaN)

/** Like `isoTime`; null for an absent time. */
export const isoTimeOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : isoTime(ms)
