import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../src/telemetry/log.ts'

test('a log that is changed hides new secrets and old ones, and speaks at the new level', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', secrets: ['old-secret-value'], write: (line) => lines.push(line) })
  log.change({ secrets: ['new-secret-value'] })
  log.debug({}, 'unheard')
  log.change({ level: 'debug' })
  log.debug({ text: 'old-secret-value and new-secret-value' }, 'heard')
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines[0] ?? '', /old-secret-value|new-secret-value/)
})
