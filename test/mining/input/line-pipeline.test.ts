import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPrepareLine, LinePipeline } from '../../../src/mining/input/line-pipeline.ts'
import { createServiceExtractor } from '../../../src/mining/input/service-extractor.ts'
import { createTimeOf } from '../../../src/mining/input/timestamps.ts'

const OPTIONS = {
  redaction: { enable: true, redactIps: false, extraPatterns: [] },
  regex: { defaultPattern: '(?i)error', rules: [{ name: 'payment', pattern: 'charge (declined|failed)' }] },
  servicePatterns: ['^\\[(\\w+)\\]'],
}

test('an event is redacted and gets the first rule that matches and its service', () => {
  const prepare = createPrepareLine(OPTIONS)
  assert.deepEqual(prepare({ text: '[shop] charge declined, password=abc' }, 'app'), {
    text: '[shop] charge declined, password=<REDACTED:secret>',
    source: 'app',
    rule: 'payment',
    service: 'shop',
  })
  assert.equal(prepare({ text: 'ERROR it failed', service: 'ledger' }, 'app')?.service, 'ledger')
  assert.equal(prepare({ text: 'ERROR it failed' }, 'app')?.rule, 'default')
  assert.equal(prepare({ text: 'all is well' }, 'app'), undefined)
  assert.equal(prepare({ text: 'an error', service: 'token=abcdef123456' }, 'app')?.service, 'token=<REDACTED:token>')
})

test('the service is found by configured patterns, labels, names in the line and syslog tags, else it is the source', () => {
  const serviceOf = createServiceExtractor(['svc:(\\w+)'])
  assert.equal(serviceOf('svc:pay service=shop', 'app', 'label'), 'pay')
  assert.equal(serviceOf('service=shop', 'app', 'label'), 'label')
  assert.equal(serviceOf('{"service.name": "shop-api","n":1}', 'app'), 'shop-api')
  assert.equal(serviceOf('Jun  9 06:06:20 host-1 sshd[4711]: failed', 'app'), 'sshd')
  assert.equal(serviceOf('<34>2026-06-09T06:06:20.123Z host ntpd: failed', 'app'), 'ntpd')
  assert.equal(serviceOf('out of service: come back', 'app'), 'app')
})

test('a log can create only a bounded number of services', () => {
  const serviceOf = createServiceExtractor([])
  const names = new Set(Array.from({ length: 5_000 }, (_, n) => serviceOf(`service=name${n}`, 'app')))
  assert.equal(names.size, 1_001)
  assert.equal(serviceOf('service=name7', 'app'), 'name7')
})

test('a line that throws is counted and does not affect other lines', () => {
  const learned: string[] = []
  const failures: unknown[] = []
  const observe = ({ text }: { text: string }) => {
    if (text.includes('poison')) throw new Error('too much')
    learned.push(text)
    return { id: 'p', isNew: true }
  }
  const pipeline = new LinePipeline({
    prepareLine: createPrepareLine(OPTIONS),
    detector: { observe },
    now: () => 0,
    failed: (error) => failures.push(error),
  })
  pipeline.process('app', [
    { text: 'error 1' },
    { text: 'error poison' },
    { text: 'error poison' },
    { text: 'fine' },
    { text: 'error 2' },
  ])
  assert.deepEqual([learned, failures.length], [['error 1', 'error 2'], 1])
  assert.deepEqual([pipeline.events, pipeline.learned, pipeline.failures], [5, 2, 2])
})

test('the time of a line is found in the usual formats', () => {
  const at = (line: string) => {
    const ms = createTimeOf()(line)
    return ms === undefined ? undefined : new Date(ms).toISOString()
  }
  const formats: readonly (readonly [string, string])[] = [
    ['2026-01-02T03:04:05.678Z ERROR', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05,678 [main] ERROR', '2026-01-02T03:04:05.678Z'],
    ['{"level":"error","time":"2026-01-02T03:04:05+02:00"}', '2026-01-02T01:04:05.000Z'],
    ['2026/01/02 03:04:05 [error] 7#7', '2026-01-02T03:04:05.000Z'],
    ['10.0.0.1 - - [02/Jan/2026:03:04:05 -0100] "GET /', '2026-01-02T04:04:05.000Z'],
    ['[Fri Jan 02 03:04:05 2026] [error]', '2026-01-02T03:04:05.000Z'],
    ['Jan  2 03:04:05 host kernel:', '2024-01-02T03:04:05.000Z'],
    ['26/01/02 03:04:05 INFO', '2026-01-02T03:04:05.000Z'],
    ['260102 030405 12 INFO', '2026-01-02T03:04:05.000Z'],
    ['20260102-03:04:05:678|Step', '2026-01-02T03:04:05.678Z'],
    ['1767323045.25 up', '2026-01-02T03:04:05.250Z'],
    ['- 1767323045 2026.01.02 R36', '2026-01-02T03:04:05.000Z'],
  ]
  for (const [line, expected] of formats) assert.equal(at(line), expected, line)
  assert.equal(at('no time here, only 12 things'), undefined)
})
