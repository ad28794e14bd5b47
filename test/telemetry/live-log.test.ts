import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/telemetry/log.ts'

test('a log that is changed masks new and old secrets and has the new level', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', secrets: ['old-secret-value'], write: (line) => lines.push(line) })
  log.change({ secrets: ['new-secret-value'] })
  log.debug({}, 'below the level')
  log.change({ level: 'debug' })
  log.debug({ text: 'old-secret-value and new-secret-value' }, 'above the level')
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines[0] ?? '', /old-secret-value|new-secret-value/)
})
