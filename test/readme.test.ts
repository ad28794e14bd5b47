import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS } from '../src/domain/errors.ts'

test('the README has a line for every error code, with its status and sentence', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  for (const [code, { status, message }] of Object.entries(ERRORS)) {
    assert.ok(readme.includes(`| \`${code}\` | ${status} | ${message} | `), `README.md lacks the line of ${code}`)
  }
})
