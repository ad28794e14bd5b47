import type { Rate } from '../channel.ts'

interface TokenBucketState {
  readonly destination: string
  /** Messages that wait now. */
  readonly waiting: number
  /** Time until the next token. */
  readonly readyInMs: number
  /** Messages that waited since the start, and the sum of their waits. */
  readonly waits: number
  readonly waitedMs: number
}

export interface ThrottleClock {
  /** Monotonic milliseconds. */
  elapsed(): number
  setTimer(delayMs: number, fire: () => void): { cancel(): void }
}

interface Waiter {
  readonly sinceMs: number
  readonly resolve: (waitedMs: number) => void
  readonly signal: AbortSignal
  readonly onAbort: () => void
}

interface Bucket {
  tokens: number
  /** When `tokens` was counted; in the future while paused. */
  refilledAtMs: number
  readonly waiters: Waiter[]
  timer: { cancel(): void } | undefined
  waits: number
  waitedMs: number
}

/**
 * One token bucket for each destination: `perSecond` tokens a second, at most `burst` saved up, one token a message. It
 * keeps a bucket for ever: destinations are few, because only the configuration can name them.
 */
export function createTokenBuckets(rate: Rate, clock: ThrottleClock) {
  const buckets = new Map<string, Bucket>()
  const perMs = rate.perSecond / 1_000

  function bucketOf(destination: string): Bucket {
    let bucket = buckets.get(destination)
    if (!bucket) {
      bucket = {
        tokens: rate.burst,
        refilledAtMs: clock.elapsed(),
        waiters: [],
        timer: undefined,
        waits: 0,
        waitedMs: 0,
      }
      buckets.set(destination, bucket)
    }
    return bucket
  }

  function refill(bucket: Bucket, now: number): void {
    if (now <= bucket.refilledAtMs) return
    bucket.tokens = Math.min(rate.burst, bucket.tokens + (now - bucket.refilledAtMs) * perMs)
    bucket.refilledAtMs = now
  }

  function readyInMs(bucket: Bucket, now: number): number {
    refill(bucket, now)
    return Math.max(0, bucket.refilledAtMs - now) + Math.max(0, (1 - bucket.tokens) / perMs)
  }

  function serve(bucket: Bucket): void {
    const now = clock.elapsed()
    while (bucket.waiters.length > 0 && readyInMs(bucket, now) === 0) {
      bucket.tokens--
      const waiter = bucket.waiters.shift() as Waiter
      waiter.signal.removeEventListener('abort', waiter.onAbort)
      bucket.waits++
      bucket.waitedMs += now - waiter.sinceMs
      waiter.resolve(now - waiter.sinceMs)
    }
    arm(bucket, now)
  }

  function arm(bucket: Bucket, now: number): void {
    bucket.timer?.cancel()
    bucket.timer = undefined
    if (bucket.waiters.length === 0) return
    bucket.timer = clock.setTimer(Math.ceil(readyInMs(bucket, now)), () => serve(bucket))
  }

  function queue(bucket: Bucket, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        bucket.waiters.splice(bucket.waiters.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter: Waiter = { sinceMs: clock.elapsed(), resolve, signal, onAbort }
      bucket.waiters.push(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      if (!bucket.timer) arm(bucket, waiter.sinceMs)
    })
  }

  return {
    /**
     * Takes a token in the order of the calls; resolves with the milliseconds waited for it. Rejects with the signal's
     * reason.
     */
    acquire(destination: string, signal: AbortSignal): Promise<number> {
      if (signal.aborted) return Promise.reject(signal.reason)
      const bucket = bucketOf(destination)
      if (bucket.waiters.length > 0 || readyInMs(bucket, clock.elapsed()) > 0) return queue(bucket, signal)
      bucket.tokens--
      return Promise.resolve(0)
    },
    /**
     * Gives out no token for `ms`, after the provider named a delay. The first message goes then, and the next at the
     * rate, without a burst. A shorter pause changes nothing.
     */
    pause(destination: string, ms: number): void {
      const bucket = bucketOf(destination)
      const now = clock.elapsed()
      const until = Math.max(now + ms, bucket.refilledAtMs)
      refill(bucket, now)
      bucket.tokens = Math.min(1, bucket.tokens + (until - bucket.refilledAtMs) * perMs)
      bucket.refilledAtMs = until
      arm(bucket, now)
    },
    /** Lists every destination that was used since the start. */
    states(): TokenBucketState[] {
      const now = clock.elapsed()
      return [...buckets].map(([destination, bucket]) => ({
        destination,
        waiting: bucket.waiters.length,
        readyInMs: Math.ceil(readyInMs(bucket, now)),
        waits: bucket.waits,
        waitedMs: bucket.waitedMs,
      }))
    },
  }
}
