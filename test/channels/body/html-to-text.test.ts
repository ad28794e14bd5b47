import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeEntities, textOfHtml, withoutTags } from '../../../src/channels/body/html-to-text.ts'

test('entities become characters, and other text stays', () => {
  assert.equal(
    decodeEntities('a &lt; b &amp;amp; &#39;c&#39; &#x1F514; &copy; &#0; &#xD800; &#9999999;'),
    "a < b &amp; 'c' 🔔 &copy; &#0; &#xD800; &#9999999;",
  )
})

test('a document reads as its reader would see it', () => {
  const html = `<html><head><title>no</title></head><body><!-- no --><h1>Down</h1>
<table><tr><td>shard</td><td>7</td></tr></table><p>one<br>two</p>
<a href="https://bell.example/1">open</a> <a href='https://bell.example/2'>https://bell.example/2</a></body></html>`
  assert.equal(textOfHtml(html), 'Down\n\nshard 7\n\none\ntwo\n\nopen (https://bell.example/1) https://bell.example/2')
})

test('tags are removed, a comparison stays', () => {
  assert.equal(withoutTags('<b>5 < 6</b> &amp; <a href="x">y</a> <3'), '5 < 6 & y <3')
})
