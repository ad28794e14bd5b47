import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageWith } from '../../bench/page/embed.ts'

test('a page is one file that loads nothing, whatever its data hold', async () => {
  const data = { machine: '</script><!-- <script>', trials: {} }
  const page = await pageWith({ title: 'a page', script: 'report', data })
  assert.doesNotMatch(page, /<(script|img|iframe)[^>]* src=|<link|@import|url\((?!["']?data:)/)
  assert.match(page, /Content-Security-Policy" content="default-src 'none';/)
  const [, json = ''] = /<script type="application\/json" id="shown">(.*?)<\/script>/s.exec(page) ?? []
  assert.deepEqual(JSON.parse(json), data)
  assert.match(page, /uplot/, 'the styles are missing')
})
