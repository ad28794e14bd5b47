import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'

/** The same seed tries the same inputs in the same order; their number depends on the time. */
export const SEED = numberFrom('FAULTS_SEED', 20_250_611)
/**
 * Seconds that all fault tests together spend on trying. Starting, stopping and settling come on top: ten minutes in
 * all.
 */
const SECONDS = numberFrom('FAULTS_SECONDS', 200)
/** Least number of rounds of a test that works in rounds. */
const ROUNDS = numberFrom('FAULTS_ROUNDS', 1)

/** Reads a whole number above 0 from the environment. */
export function numberFrom(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise)
  assert.ok(Number.isSafeInteger(value) && value > 0, `${name} must be a whole number above 0`)
  return value
}

/** Milliseconds for a test that has this share, 0 to 1, of `FAULTS_SECONDS`; at least two seconds. */
export const shareOf = (share: number) => Math.max(2_000, SECONDS * 1_000 * share)

/** Yields round numbers from 0 until the share of the time is over, and at least `FAULTS_ROUNDS` of them. */
export function* roundsFor(share: number): Generator<number> {
  const end = performance.now() + shareOf(share)
  for (let round = 0; round < ROUNDS || performance.now() < end; round++) yield round
}

/**
 * Tries generated values until the share of the time is over. Fails with the smallest value for which `holds` throws.
 */
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
