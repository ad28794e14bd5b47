import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDestinationWarnings } from '../../../actors/wiring/parameter-warnings.ts'
import type { Clock } from '../../../src/kernel/clock.ts'

test('destinations beyond the bound are warned of once a minute, with the number of those left out', () => {
  let elapsed = 0
  const lines: unknown[] = []
  const log = { warn: (fields: object) => void lines.push(fields) }
  const warn = openDestinationWarnings({ log, clock: { elapsed: () => elapsed } as Clock })
  warn('chatws', 'one')
  warn('chatws', 'two')
  warn('email', 'three')
  elapsed = 60_000
  warn('chatws', 'four')
  assert.deepEqual(lines, [
    { channel: 'chatws', target: 'one' },
    { channel: 'chatws', target: 'four', notLogged: 2 },
  ])
})
