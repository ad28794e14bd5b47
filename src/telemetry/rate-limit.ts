import type { Log } from './log.ts'

export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

interface Elapsed {
  /** Monotonic milliseconds. */
  elapsed(): number
}

/**
 * Opens a token bucket: `burst` at once, then one every `everyMs`. Returns what takes a token: 0, or the milliseconds until
 * there is one.
 */
export function openTokenBucket({ burst, everyMs }: Rate, clock: Elapsed): () => number {
  let tokens = burst
  let at = clock.elapsed()
  return () => {
    const now = clock.elapsed()
    tokens = Math.min(burst, tokens + (now - at) / everyMs)
    at = now
    if (tokens < 1) return (1 - tokens) * everyMs
    tokens--
    return 0
  }
}

/** Opens warnings that any client can cause: beyond the rate they are left out, and the next one says how many were. */
export function openWarnings({ log, clock }: { log: Pick<Log, 'warn'>; clock: Elapsed }, rate: Rate): Log['warn'] {
  const take = openTokenBucket(rate, clock)
  let notLogged = 0
  return (fields, message) => {
    if (take() > 0) {
      notLogged++
      return
    }
    log.warn({ ...fields, ...(notLogged > 0 && { notLogged }) }, message)
    notLogged = 0
  }
}
