import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sentenceOf } from '../../src/answers/sentences.ts'
import type { AnswerAction, Answered, AnswerOrder } from '../../src/domain/answer.ts'

const subject = { kind: 'incident', id: '019a5c3e-7b2a-7c11-8d4e-00000000002a' } as const
const orderOf = (action: AnswerAction): AnswerOrder => ({
  action,
  subject,
  ...(action === 'silence' && { minutes: 60 }),
})
const at = Date.parse('2026-11-24T03:12:00Z')
const sentence = (action: AnswerAction, answered: Answered) => sentenceOf(answered, orderOf(action), 'U0123ABCD')

test('what was done is said in the words of the button', () => {
  const done = { result: 'done' } as const
  assert.equal(sentence('acknowledge', done), 'Acknowledged.')
  assert.equal(sentence('resolve', done), 'Resolved.')
  assert.equal(sentence('silence', done), 'Acknowledged and silenced.')
  assert.equal(sentence('silence_until_resolved', done), 'Acknowledged, and silenced until resolved.')
  assert.equal(sentence('end_silence', done), 'The silence is over.')
  assert.equal(sentence('acknowledge_all', done), 'The problems that this digest told of are acknowledged.')
})

test('a test names the id of the person', () => {
  assert.equal(sentence('test', { result: 'done' }), 'The button works. Your id for "people": U0123ABCD')
})

test('what was not done says why, who came first and when', () => {
  const over: Answered = { result: 'over', at }
  assert.equal(sentence('resolve', over), 'Resolved 03:12 UTC. Nothing was changed.')
  assert.equal(sentence('silence', { ...over, by: 'Ada' }), 'Resolved 03:12 UTC by Ada. Nothing was changed.')
  assert.equal(
    sentence('resolve', { ...over, by: 'DAVID {id}' }),
    'Resolved 03:12 UTC by DAVID {id}. Nothing was changed.',
  )
  const already: Answered = { result: 'already', at, by: 'Ada' }
  assert.equal(sentence('acknowledge', already), 'Acknowledged 03:12 UTC by Ada. Nothing was changed.')
  for (const [action, answered] of [
    ['acknowledge', { result: 'already' }],
    ['silence', already],
  ] as const)
    assert.equal(sentence(action, answered), 'It is so already. Nothing was changed.')
})

test('a silence beyond those that may be live says that it acknowledged', () => {
  const text = sentence('silence', { result: 'not_silenced', problem: 1 })
  assert.match(text, /^It is acknowledged, but not silenced: 1,000 silences are live, and some must be ended first\.$/)
})

test('a refusal fits in a toast, names the id that is not listed, and needs no order', () => {
  const refused = ['superseded', 'unknown', 'not_allowed', 'wrong_chat', 'forged', 'too_many', 'not_stored'] as const
  for (const result of refused) {
    const text = sentenceOf({ result }, undefined, '12345678901234567890')
    assert.ok(text.length <= 200 && !text.includes('\n'), text)
  }
  assert.match(sentenceOf({ result: 'not_allowed' }, undefined, 'U0123ABCD'), /U0123ABCD/)
})
