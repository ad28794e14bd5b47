import assert from 'node:assert/strict'
import test from 'node:test'
import type { Stats } from '../../src/api/stats.ts'
import { KEPT, type Sample, withSample } from '../../static/live/history.ts'
import { mrkdwnToHtml } from '../../static/preview/mrkdwn.ts'

function stats(second: number, retried: number, startedAt = 'once'): Stats {
  const delivery = { retried_total: retried, dead_total: 0, sent_per_s: 2 }
  return {
    at: new Date(Date.UTC(2026, 2, 9) + second * 1_000).toISOString(),
    started_at: startedAt,
    ingest: { accepted_per_s: 3, commit_ms: { p50: 1, p99: null } },
    deliveries: { chatws: delivery, email: delivery },
    storage: null,
  } as unknown as Stats
}

function drawn(...all: Stats[]): readonly Sample[] {
  let samples: readonly Sample[] = []
  for (const [at, next] of all.entries()) samples = withSample(samples, all[at - 1], next)
  return samples
}

test('the rate of a counter is its growth between two samples, over all channels', () => {
  const samples = drawn(stats(0, 10), stats(2, 13))
  assert.deepEqual(
    samples.map(({ retried, sent, accepted, backlog }) => [retried, sent, accepted, backlog]),
    [
      [0, 4, 3, null],
      [3, 4, 3, null],
    ],
  )
})

test('a sample that arrives twice counts once, and a restart of the service begins a new history', () => {
  const again = stats(2, 13)
  assert.equal(drawn(stats(0, 10), again, again).length, 2)
  const samples = drawn(stats(0, 10), stats(1, 10), stats(5, 1, 'twice'))
  assert.deepEqual(
    samples.map(({ retried }) => retried),
    [0],
  )
})

test('the history has a bounded length', () => {
  const all = Array.from({ length: KEPT + 50 }, (_, second) => stats(second, second))
  const samples = drawn(...all)
  assert.equal(samples.length, KEPT)
  assert.equal(samples.at(-1)?.at, Date.parse(all.at(-1)?.at ?? '') / 1_000)
})

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
