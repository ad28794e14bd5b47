import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { UsageError } from '../../src/commands/command.ts'
import { alignedLines } from '../../src/commands/noise/columns.ts'
import { explainedLines, trialOf } from '../../src/commands/noise/explain.ts'
import { markdownOf } from '../../src/commands/noise/report.ts'
import { folder } from '../harness/config-file.ts'

test('columns are aligned, and foreign text steers no terminal and begins no line', () => {
  assert.deepEqual(
    alignedLines([
      ['one', 'short', ''],
      ['a longer one', '\u001b[31mred\nnext', 'end'],
    ]),
    ['one           short', 'a longer one  \ufffd[31mred next  end'],
  )
})

test('an explanation is a title and one line for each decision, with the line of the configuration', () => {
  const step = { subject: '', at: null, line: null, digest: null, silence: null }
  const lines = explainedLines({
    title: 'Card declines',
    decisions: [
      { ...step, stage: 'recognised', verdict: 'custom', because: 'service payments' },
      { ...step, stage: 'route', subject: 'pay', verdict: 'match', because: 'it fits', line: 'config.yaml:3' },
    ],
  })
  assert.deepEqual(lines, [
    'Card declines',
    ' recognised  custom  service payments',
    ' route pay   match   it fits           config.yaml:3',
  ])
})

test('a trial takes a payload, a query and a moment; the last two are refused alone, and so is what is no time', () => {
  const payload = join(folder(), 'payload.json')
  writeFileSync(payload, '{"title":"x"}')
  const none = { payload: undefined, query: undefined, at: undefined }
  assert.equal(trialOf(none), undefined)
  assert.throws(() => trialOf({ ...none, at: '2026-11-24T09:30:00Z' }), UsageError)
  assert.throws(() => trialOf({ ...none, payload, at: 'tomorrow' }), UsageError)
  assert.deepEqual(trialOf({ payload, query: 'oncall_enable=false', at: '2026-11-24T09:30:00+01:00' }), {
    payload: { title: 'x' },
    query: { oncall_enable: 'false' },
    at: '2026-11-24T08:30:00.000Z',
  })
})

test('a report is Markdown in which foreign text is no markup', () => {
  const problem = { fingerprint: 'f', service: 'db', severity: 'high', firing: 3, resolved: 0, last_incident_id: 'id' }
  const hours = [
    { at: '2026-11-22T01:00:00.000Z', count: 2 },
    { at: '2026-11-22T03:00:00.000Z', count: 5 },
  ]
  const markdown = markdownOf({
    from: '2026-11-16T00:00:00.000Z',
    to: '2026-11-23T00:00:00.000Z',
    counted_since: '2026-11-20T00:00:00.000Z',
    time_zone: 'UTC',
    incidents: 10,
    destinations: [{ destination: 'chatws', messages: 7, edits: 1, at_night: 7, by_hour: hours }],
    notified: { by_message: 6, by_digest: 2, waiting: 1, silenced: 3, dead: 1, share_by_digest: 0.25 },
    pages: { paged: 0, at_night: 0, never_acknowledged: 0, by_hour: [] },
    top: [{ ...problem, title: 'a | b\n<b>`c`' }],
    flapping: [],
    unused_silences: [],
  })
  const lines = markdown.split('\n')
  assert.ok(lines.includes('- 6 sent separately, 2 by a digest (25 % by digest), 1 wait, 3 silenced, 1 dead'))
  assert.ok(lines.includes('| chatws | 7 | 1 | 7 | 2026-11-22T03:00:00.000Z (5) |'))
  assert.ok(lines.includes('| db | a \\| b \\<b\\>\\`c\\` | high | 3 | 0 | id |'))
  assert.match(markdown, /counted since 2026-11-20/)
  assert.doesNotMatch(markdown, /Flapping|Pages:/)
})
