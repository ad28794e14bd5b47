import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CHANNELS } from '../../../src/channels/index.ts'
import { CHANNEL_NAMES } from '../../../src/domain/delivery/delivery.ts'
import type { DigestNotice, DigestProblem } from '../../../src/domain/delivery/notice.ts'
import { SEVERITY_LEVELS } from '../../../src/domain/severity.ts'
import { digestText } from '../../../src/render/text/digest-text.ts'
import { DIGESTS } from '../../../templates/gallery-digests.ts'
import { parseDigest } from './parse-digest.ts'

const HOST = 'https://tocsin.example.net/'
const [FIRST, LATER, OVER] = Object.values(DIGESTS) as [DigestNotice, DigestNotice, DigestNotice]
const HOSTILE = [
  '<!channel> @here <@U123>',
  '<b>bold</b> &amp; <script>',
  '](https://evil.example) [x',
  '`code` ``` fence',
  'ends in a backslash \\',
  '🌩 Digest 1·1: 5 alerts of 1 problem',
  '👩‍👩‍👧‍👦'.repeat(40),
  '+3 problems in 1 service: x',
]

const count = fc.integer({ min: 1, max: 2_000_000 })
const word = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 30 }).map(oneLine))
const problem: fc.Arbitrary<DigestProblem> = fc
  .record({
    title: word.map((title) => title || 'no title'),
    service: word,
    level: fc.constantFrom(...SEVERITY_LEVELS),
    status: fc.constantFrom('firing' as const, 'resolved' as const),
    incidentId: fc.uuid(),
    alerts: count,
    added: fc.nat(100),
    isNew: fc.boolean(),
  })
  .map((each) => ({ ...each, singly: each.isNew ? 0 : each.alerts, waiting: 0 }))
const counts = fc
  .subarray([...SEVERITY_LEVELS, 'resolved'] as const, { minLength: 1 })
  .chain((words) =>
    fc.tuple(...words.map((each) => fc.tuple(fc.constant(each), count, fc.double({ min: 0, max: 1, noNaN: true })))),
  )
  .map((all) =>
    all.map(([name, alerts, share]) => {
      const singly = Math.round(alerts * (share < 0.3 ? 0 : share))
      return { word: name, alerts, singly, waiting: Math.floor((alerts - singly) * (share > 0.6 ? 1 : share)) }
    }),
  )
const notice: fc.Arbitrary<DigestNotice> = fc.record({
  kind: fc.constant('digest' as const),
  digest: count,
  revision: fc.integer({ min: 1, max: 5_000 }),
  phase: fc.constantFrom('open' as const, 'over' as const),
  mayRepeat: fc.boolean(),
  firstAt: fc.constant(Date.UTC(2026, 2, 9, 23, 59, 30)),
  lastAt: fc.integer({ min: 0, max: 100_000_000 }).map((ms) => Date.UTC(2026, 2, 9, 23, 59, 30) + ms),
  counts,
  added: fc.nat(100_000),
  problems: count,
  firing: fc.nat(1_000),
  shown: fc.array(problem, { maxLength: 12 }),
  others: fc.record({
    problems: fc.nat(10_000),
    services: fc.nat(100),
    top: fc.array(fc.record({ service: word, alerts: count }), { maxLength: 5 }),
  }),
})

describe('the text of a digest', () => {
  for (const channel of CHANNEL_NAMES) {
    const rules = CHANNELS[channel].text

    it(`says the numbers that it was given, on ${channel}, whatever the titles are`, () => {
      fc.assert(
        fc.property(notice, (digest) => {
          const read = parseDigest(digestText(digest, rules, HOST).text)
          const { revision, added } = digest
          assert.deepEqual(read, {
            digest: digest.digest,
            revision,
            over: digest.phase === 'over',
            repeated: digest.mayRepeat,
            alerts: digest.counts.reduce((sum, { alerts }) => sum + alerts, 0),
            problems: digest.problems,
            added: revision === 1 ? 0 : added,
            counts: Object.fromEntries(digest.counts.map(({ word, ...numbers }) => [word, numbers])),
          })
        }),
        { numRuns: 60 },
      )
    })

    it(`has its address in the last line, on ${channel}`, () => {
      for (const digest of [FIRST, LATER, OVER]) {
        const lines = digestText(digest, rules, HOST).text.trimEnd().split('\n')
        assert.match(lines.at(-1) ?? '', /https:\/\/tocsin\.example\.net\/#\/digests\/17\b/)
        assert.doesNotMatch(lines.slice(0, 3).join(''), /https:/)
      }
    })

    it(`keeps numbers and address where there is little room, on ${channel}`, () => {
      const limit = { ...rules.limit, max: 400 }
      const { text } = digestText(LATER, { ...rules, limit }, HOST)
      assert.equal(parseDigest(text).alerts, 1_240)
      assert.match(text, /digests\/17/)
    })
  }

  it('mentions nobody and adds no markup for a hostile title', () => {
    const shown = HOSTILE.map(
      (title): DigestProblem => ({ ...(LATER.shown[0] as DigestProblem), title, service: title }),
    )
    const text = (channel: (typeof CHANNEL_NAMES)[number]) =>
      digestText({ ...LATER, shown }, CHANNELS[channel].text, HOST).text
    assert.doesNotMatch(text('chatws'), /<[!@#]/)
    assert.deepEqual(new Set(text('msgapp').match(/<\/?\w+/g)), new Set(['<b', '</b', '<a', '</a']))
    assert.doesNotMatch(text('workchat'), /<|\]\(https:\/\/evil/)
    assert.equal(text('workchat').match(/\]\(https:/g)?.length, shown.length + 1)
  })

  it('marks what is new from the second revision on', () => {
    const rules = CHANNELS.messenger.text
    assert.doesNotMatch(digestText(FIRST, rules, HOST).text, /NEW|new/)
    assert.match(digestText(LATER, rules, HOST).text, /\+412 new\n.*🔴 NEW orders-db · Replica lost ×3\n/s)
  })

  it('has a subject where the channel has subjects, and its number where there is no address', () => {
    assert.equal(
      digestText(LATER, CHANNELS.email.text, HOST).subject,
      '🌩 Digest 17·3: 1,240 alerts of 31 problems (repeated)',
    )
    assert.equal(digestText(LATER, CHANNELS.chatws.text, HOST).subject, undefined)
    assert.match(digestText(LATER, CHANNELS.chatws.text, '').text, /\ndigest 17$/)
  })

  it('says the date when the storm went on past midnight', () => {
    const firstAt = Date.UTC(2026, 2, 8, 23, 59, 30)
    assert.match(digestText({ ...LATER, firstAt }, CHANNELS.console.text, HOST).text, /since 2026-03-08 23:59:30 UTC/)
  })
})

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
