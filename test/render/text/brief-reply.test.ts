import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TextRules } from '../../../src/domain/delivery/message.ts'
import { noticeText } from '../../../src/render/text/notice-text.ts'

const RULES: TextRules = { escaping: 'html', limit: { max: 4_000, unit: 'utf16' } }
const LINES = ['before: 1 time in 30 days', 'note: Ada: "<b>bank</b>"', 'nearby: Refunds', 'change: 4.12.0']
const BRIEF = {
  kind: 'follow-up',
  word: 'brief',
  by: '',
  title: 'Card declines',
  text: LINES.join('\n'),
  problem: 12,
} as const

test('a brief in a chat is lines and a link: words of others are escaped', () => {
  const { text, subject } = noticeText(BRIEF, RULES, { publicHost: 'https://t.example.net' })
  assert.deepEqual(text.split('\n'), [
    'before: 1 time in 30 days',
    'note: Ada: &#34;&lt;b&gt;bank&lt;/b&gt;&#34;',
    'nearby: Refunds',
    'change: 4.12.0',
    'https://t.example.net/#/problems/12',
  ])
  assert.equal(subject, undefined)
})

test('without a public address it has no link, and in a mail a subject', () => {
  const { text, subject } = noticeText(BRIEF, { ...RULES, escaping: 'none', subject: true }, { publicHost: '' })
  assert.equal(text, LINES.join('\n'))
  assert.equal(subject, '📋 Brief: Card declines')
})
