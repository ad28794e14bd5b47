import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { UsageError } from '../../src/commands/command.ts'
import { alignedLines } from '../../src/commands/noise/columns.ts'
import { explainedLines, trialOf } from '../../src/commands/noise/explain.ts'
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
  const step = { subject: '', at: null, line: null, digest: null }
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
