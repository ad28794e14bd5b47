import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'

/** The same seed tries the same things in the same order; how many of them depends on the time. */
const SEED = numberFrom('FAULTS_SEED', 20_250_611)
/** What the tests share for trying; starting, stopping and settling come on top: ten minutes in all with this. */
const SECONDS = numberFrom('FAULTS_SECONDS', 200)
/** Rounds that a test which goes in rounds makes at least, however long they take. */
const ROUNDS = numberFrom('FAULTS_ROUNDS', 1)

/** Of the environment. */
export function numberFrom(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise)
  assert.ok(Number.isSafeInteger(value) && value > 0, `${name} must be a whole number above 0`)
  return value
}

/** Milliseconds of a test that has so much of the time, from 0 to 1; never under two seconds. */
export const shareOf = (share: number) => Math.max(2_000, SECONDS * 1_000 * share)

/** Numbers of rounds, from 0: as many as the share of the time lets begin, and no fewer than asked for. */
export function* roundsFor(share: number): Generator<number> {
  const end = performance.now() + shareOf(share)
  for (let round = 0; round < ROUNDS || performance.now() < end; round++) yield round
}

/** Tries what `arbitrary` gives until the share of the time is over; fails with the smallest that does not hold. */
export async function holdsFor<T>(
  t: TestContext,
  { share, arbitrary }: { readonly share: number; readonly arbitrary: fc.Arbitrary<T> },
  holds: (value: T) => Promise<void> | void,
): Promise<void> {
  let tried = 0
  const property = fc.asyncProperty(arbitrary, async (value) => {
    tried++
    await holds(value)
  })
  const interruptAfterTimeLimit = shareOf(share)
  const limits = { numRuns: 1_000_000, interruptAfterTimeLimit, markInterruptAsFailure: false }
  const { errorInstance } = await fc.check(property, { seed: SEED, ...limits })
  t.diagnostic(`${tried} tried with FAULTS_SEED=${SEED}`)
  if (errorInstance) throw errorInstance
  assert.ok(tried > 0)
}

/** Numbers from 0 to 1 that are the same with the same seed (mulberry32). */
export function dice(seed = SEED): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Asks until it is so; fails after the deadline with what was there last. */
export async function until<T>(
  look: () => Promise<T> | T,
  is: (value: T) => boolean,
  { deadlineMs = 60_000, everyMs = 20 } = {},
): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await look()
    if (is(value)) return value
    assert.ok(performance.now() < end, `still ${JSON.stringify(value)?.slice(0, 2_000)} after ${deadlineMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
