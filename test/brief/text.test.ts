import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Brief } from '../../src/api/brief.ts'
import { briefLines, replyLines } from '../../src/brief/text.ts'

const NOW = Date.parse('2026-11-28T03:16:00.000Z')
const at = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()
const MIN = 60_000

const BRIEF: Brief = {
  at: at(0),
  problem: {
    id: 12,
    title: 'Card declines',
    service: 'payments',
    level: 'critical',
    state: 'firing',
    since: at(6),
    opened_at: at(6),
    firing: 14,
    acked_at: null,
    acked_by: null,
    opening: 240,
  },
  notified: [
    { channel: 'chatws', target: 'payments', after_ms: 2_000, status: 'sent' },
    { channel: 'email', target: null, after_ms: null, status: 'pending' },
  ],
  page: { provider: 'webhook', due_at: at(-1), state: 'armed' },
  before: {
    count: 5,
    days: 30,
    shortest_ms: 6 * MIN,
    median_ms: 12 * MIN,
    longest_ms: 41 * MIN,
    openings: [
      {
        id: 214,
        opened_at: '2026-11-03T10:00:00.000Z',
        ended_at: '2026-11-03T10:12:00.000Z',
        ended_by: 'sender',
        acked_by: 'Ada',
        incident: 'i',
      },
    ],
  },
  similar: [
    {
      problem: 7,
      title: 'Card refusals',
      service: 'payments',
      score: 0.811,
      count: 2,
      median_ms: 9 * MIN,
      acked_by: 'Ada',
      opening: 99,
    },
  ],
  notes: [
    { id: 31, problem: 12, fingerprint: 'f', at: '2026-11-03T10:20:00.000Z', by: 'Ada', text: 'bank B was down' },
  ],
  silences: [{ id: 4, comment: 'patch night', state: 'begins', starts_at: at(-44), ends_at: at(-100) }],
  nearby: {
    openings: [{ problem: 9, title: 'Refunds are slow', service: 'payments', opened_at: at(5), ended_at: null }],
    services: [{ service: 'db', count: 3 }],
    digests: [{ number: 2, title: 'Digest 2' }],
  },
  logs: [{ pattern: 'p-71', at: at(4), text: 'ERROR bank B: refused', count: 212 }],
  changes: [{ id: 88, at: at(20), service: 'payments', kind: 'deploy', summary: '4.12.0', link: '' }],
  runbook: ['https://runbooks.example.net/card-declines'],
  late: ['logs'],
  unapplied: 2,
}

test('the brief is lines of aligned columns, each with the entry that it comes from', () => {
  const lines = briefLines(BRIEF, NOW).map((line) => line.replace(/ {2,}/g, '  '))
  assert.deepEqual(lines, [
    'problem 12  Card declines  payments  critical  fires for 6 min, 14 incidents, not acknowledged  problem:12',
    ' notified  chatws:payments after 2 s, email pending; page armed, due 03:17 (webhook)  problem:12',
    ' before  5 times in 30 days, 6 min to 41 min; last 2026-11-03 10:00, 12 min, acknowledged by Ada, ended by its sender  opening:214',
    ' note  Ada, 2026-11-03 10:20: "bank B was down"  note:31',
    ' similar  Card refusals (payments), 0.81: 2 times, 9 min, Ada  problem:7',
    ' silence  "patch night" begins at 04:00  silence:4',
    ' nearby  Refunds are slow (payments) since 03:11; 3 in db  problem:9',
    ' nearby  Digest 2  digest:2',
    ' logs  03:12: ERROR bank B: refused, 212 lines  pattern:p-71',
    ' change  14 min before: payments: 4.12.0 (deploy)  change:88',
    ' runbook  https://runbooks.example.net/card-declines  problem:12',
    ' late  no time or room: logs  problem:12',
    ' newer  2 incidents not applied yet  problem:12',
  ])
  const entries = briefLines(BRIEF, NOW).flatMap((line) => {
    const column = line.search(/\S+:\S+$/)
    return line.length < 110 && column > 0 ? [column] : []
  })
  assert.equal(new Set(entries).size, 1)
})

test('of a time that is over the length is told, and changes stand before its begin', () => {
  const over = { ...BRIEF, problem: { ...BRIEF.problem, state: 'resolved' as const, opened_at: at(90), since: at(60) } }
  const [problem = '', ...others] = briefLines(
    { ...over, changes: BRIEF.changes.map((change) => ({ ...change, at: at(104) })) },
    NOW,
  )
  assert.match(problem, /over, fired for 30 min/)
  assert.match(others.find((line) => line.startsWith(' change')) ?? '', /14 min before/)
})

test('words of others neither break a line nor turn its direction', () => {
  const problem = { ...BRIEF.problem, title: 'a\r\nnote: forged\u202e\u001b[31m', service: '' }
  const notes = [{ ...BRIEF.notes[0], text: 'one\ntwo\u2066' } as Brief['notes'][number]]
  const lines = briefLines({ ...BRIEF, problem, notes, nearby: null }, NOW)
  for (const line of lines) assert.doesNotMatch(line, /[\n\r\x1b\u202e\u2066]/)
  assert.match(lines[0] ?? '', /a note: forged/)
  assert.ok(lines.some((line) => /nearby +the problem names no service +problem:12$/.test(line)))
})

test('a reply has at most four lines, the newest of each section, and none where nothing is known', () => {
  const two = { ...BRIEF, notes: [...BRIEF.notes, ...BRIEF.notes], changes: [...BRIEF.changes, ...BRIEF.changes] }
  assert.deepEqual(replyLines(two, BRIEF.problem.since, NOW), [
    'before: 5 times in 30 days, 6 min to 41 min; last 2026-11-03 10:00, 12 min, acknowledged by Ada, ended by its sender',
    'note: Ada, 2026-11-03 10:20: "bank B was down"',
    'nearby: Refunds are slow (payments) since 03:11; 3 in db',
    'change: 14 min before: payments: 4.12.0 (deploy)',
  ])
  const before = { ...BRIEF.before, count: 0, openings: [] }
  assert.deepEqual(replyLines({ before, notes: [], nearby: null, changes: [] }, BRIEF.problem.since, NOW), [])
})
