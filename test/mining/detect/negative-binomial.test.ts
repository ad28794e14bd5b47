import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upperTailProbability } from '../../../src/mining/detect/negative-binomial.ts'

/** Sums the probabilities of all smaller counts of a Poisson or negative binomial distribution. */
function byHand(count: number, mean: number, variance: number): number {
  const size = (mean * mean) / (variance - mean)
  const ratio = mean / (mean + size)
  let term = variance > mean ? (size / (size + mean)) ** size : Math.exp(-mean)
  let below = 0
  for (let k = 0; k < count; k++) {
    below += term
    term *= variance > mean ? ((k + size) / (k + 1)) * ratio : mean / (k + 1)
  }
  return 1 - below
}

test('the tail is one minus the probabilities of all smaller counts', () => {
  for (const [count, mean, variance] of [
    [6, 2, 2],
    [9, 4, 10],
    [3, 0.5, 0.5],
    [5, 0.4, 1.3],
    [40, 25, 60],
  ] as const) {
    const expected = byHand(count, mean, variance)
    assert.ok(
      Math.abs(upperTailProbability(count, mean, variance) / expected - 1) < 1e-4,
      `${count} of ${mean}, ${variance}`,
    )
  }
})

test('the tail of a count far above the mean is small but above zero, and never above one', () => {
  assert.ok(upperTailProbability(50, 2, 2) > 0)
  assert.ok(upperTailProbability(50, 2, 2) < 1e-40)
  assert.equal(upperTailProbability(2, 2, 4), 1)
  assert.ok(upperTailProbability(100_000, 90_000, 1e9) <= 1)
})
