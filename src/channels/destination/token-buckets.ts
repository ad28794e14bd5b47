import { RANK, type Rank } from '../../domain/delivery/dispatch.ts'
import type { Rate } from '../channel.ts'
import { createDestinationStates } from './destination-states.ts'

/** Place in the queue of a destination. */
export interface Place {
  readonly rank: Rank
  /** The destination is in a storm: tokens are kept for digests and urgent messages. */
  readonly storm?: true
}

/** Place of what has no rank. */
export const NORMAL: Place = { rank: RANK.normal }
/** Digests and urgent messages that go in a row while others wait. */
const MAX_RUN = 3
/** Kept tokens come back within this time, so that other messages of a slow destination do not wait for them. */
const KEPT_S = 3

export interface ThrottleClock {
  /** Monotonic milliseconds. */
  elapsed(): number
  setTimer(delayMs: number, fire: () => void): { cancel(): void }
}

interface Waiter {
  readonly place: Place
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
  /** Digests and urgent messages that went in a row while others waited. */
  run: number
  timer: { cancel(): void } | undefined
  /** Messages that waited since the bucket is kept, and the sum of their waits. */
  waits: number
  waitedMs: number
}

/**
 * One token bucket for each destination: `perSecond` tokens a second, at most `burst` saved up, one token a message.
 * Digests go before all other waiting messages: each tells of many incidents, and a destination has one at most. Then
 * come urgent ones, then others by rank, those of one rank in the order of the calls. After three digests and urgent ones
 * another goes. When destinations are many, it forgets the full buckets that no message waits for.
 */
export function createTokenBuckets(rate: Rate, clock: ThrottleClock) {
  const perMs = rate.perSecond / 1_000
  const kept = Math.min(Math.floor(rate.burst / 2), Math.floor(KEPT_S * rate.perSecond))

  const buckets = createDestinationStates<Bucket>(
    () => ({
      tokens: rate.burst,
      refilledAtMs: clock.elapsed(),
      waiters: [],
      run: 0,
      timer: undefined,
      waits: 0,
      waitedMs: 0,
    }),
    (bucket) => bucket.waiters.length === 0 && readyInMs(bucket, clock.elapsed(), rate.burst) === 0,
  )

  function refill(bucket: Bucket, now: number): void {
    if (now <= bucket.refilledAtMs) return
    bucket.tokens = Math.min(rate.burst, bucket.tokens + (now - bucket.refilledAtMs) * perMs)
    bucket.refilledAtMs = now
  }

  function readyInMs(bucket: Bucket, now: number, tokens = 1): number {
    refill(bucket, now)
    return Math.max(0, bucket.refilledAtMs - now) + Math.max(0, (tokens - bucket.tokens) / perMs)
  }

  /** Returns the tokens that must be there for this place when none is ahead of it; one of them is taken. */
  function needed({ rank, storm }: Place): number {
    return storm && rank > RANK.digest ? 1 + kept : 1
  }

  /** Returns the waiter that goes next, and the tokens that it needs. Some wait. */
  function next({ waiters, run }: Bucket): { waiter: Waiter; tokens: number; overtakes: boolean } {
    let ahead: Waiter | undefined
    let other: Waiter | undefined
    for (const waiter of waiters) {
      const { rank } = waiter.place
      if (rank > RANK.digest) other = rank < (other?.place.rank ?? Infinity) ? waiter : other
      else if (ahead === undefined || rank > ahead.place.rank) ahead = waiter
    }
    if (ahead === undefined)
      return { waiter: other as Waiter, tokens: needed((other as Waiter).place), overtakes: false }
    if (other === undefined || run < MAX_RUN) return { waiter: ahead, tokens: 1, overtakes: other !== undefined }
    return { waiter: other, tokens: 1, overtakes: false }
  }

  function serve(bucket: Bucket): void {
    const now = clock.elapsed()
    while (bucket.waiters.length > 0) {
      const { waiter, tokens, overtakes } = next(bucket)
      if (readyInMs(bucket, now, tokens) > 0) break
      bucket.tokens--
      bucket.run = overtakes ? bucket.run + 1 : 0
      bucket.waiters.splice(bucket.waiters.indexOf(waiter), 1)
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
    bucket.timer = clock.setTimer(Math.ceil(readyInMs(bucket, now, next(bucket).tokens)), () => serve(bucket))
  }

  function queue(bucket: Bucket, place: Place, signal: AbortSignal): Promise<number> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        bucket.waiters.splice(bucket.waiters.indexOf(waiter), 1)
        reject(signal.reason)
      }
      const waiter: Waiter = { place, sinceMs: clock.elapsed(), resolve, signal, onAbort }
      bucket.waiters.push(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      // A louder one may go before those that wait.
      if (!bucket.timer || place.rank < RANK.normal) serve(bucket)
    })
  }

  return {
    /**
     * Takes a token; resolves with the milliseconds waited for it. Rejects with the signal's reason.
     */
    acquire(destination: string, signal: AbortSignal, place: Place = NORMAL): Promise<number> {
      if (signal.aborted) return Promise.reject(signal.reason)
      const bucket = buckets.of(destination)
      if (bucket.waiters.length > 0 || readyInMs(bucket, clock.elapsed(), needed(place)) > 0)
        return queue(bucket, place, signal)
      bucket.tokens--
      return Promise.resolve(0)
    },
    /**
     * Gives out no token for `ms`, after the provider named a delay. The first message goes then, and the next at the
     * rate, without a burst. A shorter pause changes nothing.
     */
    pause(destination: string, ms: number): void {
      const bucket = buckets.of(destination)
      const now = clock.elapsed()
      const until = Math.max(now + ms, bucket.refilledAtMs)
      refill(bucket, now)
      bucket.tokens = Math.min(1, bucket.tokens + (until - bucket.refilledAtMs) * perMs)
      bucket.refilledAtMs = until
      arm(bucket, now)
    },
    /** Lists the destinations that it keeps. */
    states() {
      const now = clock.elapsed()
      return buckets.entries().map(([destination, bucket]) => ({
        destination,
        waiting: bucket.waiters.length,
        /** Time until the next token. */
        readyInMs: Math.ceil(readyInMs(bucket, now)),
        waits: bucket.waits,
        waitedMs: bucket.waitedMs,
      }))
    },
  }
}
