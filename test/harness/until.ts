import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Polls `look` until `is` holds, without one until the value is truthy, and returns the value. Fails after the deadline
 * with the last value, and with what was looked at. The deadline only ends a hang: it is far above what a busy machine
 * needs.
 */
export async function until<T>(
  look: () => Promise<T> | T,
  is: (value: T) => boolean = Boolean,
  { deadlineMs = 180_000, everyMs = 20 } = {},
): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await look()
    if (is(value)) return value
    assert.ok(
      performance.now() < end,
      `still ${JSON.stringify(value)?.slice(0, 2_000)} after ${deadlineMs} ms: ${look}`,
    )
    await pause(everyMs)
  }
}
