import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { apiMarkdown } from '../../deploy/http-api/markdown.ts'
import { openapi } from '../../src/http/openapi/document.ts'

test('docs/http-api.md is generated from the current OpenAPI document', () => {
  const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8')
  assert.equal(page, apiMarkdown(openapi('')), 'run npm run docs:http-api')
})
