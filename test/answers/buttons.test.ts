import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openButtons, testButton } from '../../src/answers/buttons.ts'
import { answerKey, readToken } from '../../src/answers/token.ts'
import type { AnswerState } from '../../src/domain/answer.ts'

const KEY = answerKey(new Uint8Array(32))
const NOW = Date.parse('2026-11-24T03:20:00Z')
const AT = Date.parse('2026-11-24T03:14:00Z')
const ADA = { by: 'Ada Lovelace', at: AT }
const subject = { kind: 'incident', id: '019a5c3e-7b2a-7c11-8d4e-00000000002a' } as const
const FIRING: AnswerState = { subject, phase: 'firing', acknowledged: false, silenced: false }
const choices = [
  { action: 'acknowledge' },
  { action: 'resolve' },
  { action: 'silence', minutes: 60 },
  { action: 'silence_until_resolved' },
] as const
const partOf = openButtons(KEY, choices)
const labels = (state: AnswerState) => partOf(state, NOW).buttons.map(({ label }) => label)

test('a problem that fires has all buttons, and each says in its token what it does', () => {
  const { buttons, line } = partOf(FIRING, NOW)
  assert.equal(line, undefined)
  assert.deepEqual(labels(FIRING), ['Acknowledge', 'Resolve', 'Silence 1 h', 'Silence until resolved'])
  assert.deepEqual(
    buttons.map(({ token }) => readToken(KEY, token)?.order),
    choices.map((choice) => ({ ...choice, subject })),
  )
})

test('buttons that make sense no more are gone', () => {
  assert.deepEqual(labels({ ...FIRING, acknowledged: true }), ['Resolve', 'Silence 1 h', 'Silence until resolved'])
  assert.deepEqual(labels({ ...FIRING, acknowledged: true, silenced: true }), ['End silence', 'Resolve'])
  assert.deepEqual(labels({ ...FIRING, phase: 'over' }), [])
})

test('a digest is acknowledged as a whole, if people acknowledge at all', () => {
  const digest: AnswerState = { ...FIRING, subject: { kind: 'digest', number: 3, revision: 2 } }
  assert.deepEqual(labels(digest), ['Acknowledge all'])
  assert.deepEqual(labels({ ...digest, acknowledged: true }), [])
  assert.deepEqual(openButtons(KEY, [{ action: 'resolve' }])(digest, NOW).buttons, [])
})

test('silences are named after their time', () => {
  const silences = [90, 120, 1_440, 45].map((minutes) => ({ action: 'silence' as const, minutes }))
  const { buttons } = openButtons(KEY, silences)(FIRING, NOW)
  assert.deepEqual(
    buttons.map(({ label }) => label),
    ['Silence 90 min', 'Silence 2 h', 'Silence 1 d', 'Silence 45 min'],
  )
})

test('the line says who did what and when, with the date of another day', () => {
  const lines: readonly [last: NonNullable<AnswerState['last']>, line: string][] = [
    [{ did: 'acknowledged', ...ADA }, '✅ Acknowledged by Ada Lovelace 03:14 UTC'],
    [{ did: 'resolved', ...ADA }, '🟢 Resolved by Ada Lovelace 03:14 UTC'],
    [{ did: 'silenced', ...ADA, until: 'resolved' }, '🔕 Silenced by Ada Lovelace 03:14 UTC, until resolved'],
    [
      { did: 'silenced', ...ADA, until: AT + 24 * 3_600_000 },
      '🔕 Silenced by Ada Lovelace 03:14 UTC, until 2026-11-25 03:14 UTC',
    ],
    [{ did: 'silence_ended', ...ADA }, '🔔 Silence ended by Ada Lovelace 03:14 UTC'],
    [{ did: 'acknowledged', by: 'Ada', at: AT - 4 * 3_600_000 }, '✅ Acknowledged by Ada 2026-11-23 23:14 UTC'],
  ]
  for (const [last, line] of lines) assert.equal(partOf({ ...FIRING, last }, NOW).line, line)
})

test('a phone gets tokens of its topic, and a test message one that changes nothing', () => {
  const phone = { topic: 'ada', expiresAt: NOW }
  for (const { token } of [...partOf(FIRING, NOW, phone).buttons, testButton(KEY, phone)])
    assert.deepEqual(readToken(KEY, token)?.phone, phone)
  const { label, token } = testButton(KEY)
  assert.deepEqual([label, readToken(KEY, token)?.order.action], ['Test', 'test'])
})
