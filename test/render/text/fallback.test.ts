import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { SAMPLES } from '../../../src/render/samples/samples.ts'
import { fallback } from '../../../src/render/text/fallback.ts'

const PLAIN: TextRules = { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } }
const MAIL: TextRules = { escaping: 'html', limit: { max: 500_000, unit: 'utf16' }, subject: true }
const APP: TextRules = { escaping: 'html', limit: { max: 4_096, unit: 'visible' } }
const FACTS = {
  id: '0192f0c4',
  title: 'Disk full',
  service: 'orders-db',
  severity: 'critical',
  status: 'firing',
} as const
const options = (rules: TextRules) => ({
  rules,
  failure: 'template_failed: x.tmpl:3:7: no such key',
  link: 'incident 0192f0c4',
})

describe('fallback', () => {
  it('prints title, severity, service, fields, the failure and the link', () => {
    const payload = { attempt: 3, labels: { zone: 'b' }, summary: 'no space left' }
    assert.deepEqual(fallback(FACTS, payload, options(PLAIN)), {
      text: [
        '🔴 CRITICAL Disk full · orders-db',
        '',
        'summary: no space left',
        'attempt: 3',
        'labels.zone: b',
        '',
        'The template failed, so this is plain text: template_failed: x.tmpl:3:7: no such key',
        'See incident 0192f0c4',
      ].join('\n'),
    })
  })

  it('makes no mention and no link where a channel reads Markdown', () => {
    const { text } = fallback(
      FACTS,
      { summary: '<at id=all></at> [Acknowledge](https://evil.example)' },
      options({ ...PLAIN, escaping: 'markdown' }),
    )
    assert.match(text, /&#60;at id=all>&#60;\/at> \[Acknowledge\] \(https/)
  })

  it('prints that an incident is resolved, and the acknowledge link of a firing one', () => {
    assert.match(
      fallback({ ...FACTS, status: 'resolved' }, {}, options(PLAIN)).text,
      /^🟢 RESOLVED Disk full · orders-db\n\nThe/,
    )
    const ackUrl = 'https://t.example.net/api/ack/1?exp=2&sig=3'
    assert.ok(fallback(FACTS, {}, { ...options(PLAIN), ackUrl }).text.includes(`Acknowledge: ${ackUrl}\n`))
  })

  it('escapes for the channel', () => {
    const evil = { ...FACTS, title: '<b>&' }
    assert.match(
      fallback(evil, { a: '<!channel>' }, options({ ...PLAIN, escaping: 'chat' })).text,
      /&lt;b&gt;&amp;.*a: &lt;!channel&gt;/s,
    )
    assert.match(fallback(evil, { a: '</code>' }, options(APP)).text, /&lt;b&gt;&amp;.*a: &lt;\/code&gt;/s)
  })

  it('has a subject and keeps its lines in a mail', () => {
    const { text, subject } = fallback({ ...FACTS, title: 'a & b' }, {}, options(MAIL))
    assert.equal(subject, '🔴 CRITICAL a & b · orders-db')
    assert.match(text, /^<div style="white-space:pre-wrap[^>]*>🔴 CRITICAL a &amp; b · orders-db\n/)
  })

  it('never exceeds the limit, for any payload', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 'v'.repeat(50)]))
    for (const payload of [deep, wide, { log: 'x'.repeat(1_000_000) }, ...SAMPLES.map((sample) => sample.payload)])
      for (const max of [10, 300, 7_000]) {
        const facts = { ...recognise(payload), id: FACTS.id }
        assert.ok(
          fallback(facts, payload, options({ escaping: 'none', limit: { max, unit: 'utf16' } })).text.length <= max,
        )
      }
  })
})
