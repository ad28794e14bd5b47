import assert from 'node:assert/strict'
import test from 'node:test'
import { mrkdwnToHtml } from '../../static/preview/mrkdwn.ts'

const CASES = [
  ['*bold* _italic_ ~gone~', '<b>bold</b> <i>italic</i> <s>gone</s>'],
  ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
  ['`*not bold*`', '<code>*not bold*</code>'],
  ['```\n*raw*\nlines\n```', '<pre>*raw*\nlines</pre>'],
  ['<https://example.net/?a=1&amp;b=2|Graph>', '<a href="https://example.net/?a=1&amp;b=2">Graph</a>'],
  ['<javascript:alert(1)|Graph>', '<strong>@Graph</strong>'],
  ['<!here> <@U123> <#C1|ops>', '<strong>@here</strong> <strong>@U123</strong> <strong>#ops</strong>'],
  ['one\ntwo', 'one<br>two'],
  ['&gt; said', '<blockquote>said</blockquote>'],
  ['a &lt;b&gt; c', 'a &lt;b&gt; c'],
] as const

for (const [markup, html] of CASES) {
  test(`${JSON.stringify(markup)} is shown as the team chat shows it`, () => {
    assert.equal(mrkdwnToHtml(markup), html)
  })
}
