import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openapi } from '../../src/http/openapi/document.ts'
import { linesOf } from './openapi-lines.ts'

const FIXTURE = new URL('fixtures/openapi.txt', import.meta.url)

test('routes, parameters, statuses and fields are those that clients rely on', () => {
  const known = readFileSync(FIXTURE, 'utf8').trimEnd().split('\n')
  const current = linesOf(openapi('1.2.3'))
  const missing = known.filter((line) => !current.includes(line))
  const added = current.filter((line) => !known.includes(line))
  assert.deepEqual(
    { missing, added },
    { missing: [], added: [] },
    'a wanted change goes into test/http/fixtures/openapi.txt',
  )
})
