import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDownWatch } from '../../actors/main/answers/down.ts'
import { noticeText } from '../../src/render/text/notice-text.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const MINUTE = 60_000

function rig() {
  const clock = new ManualClock()
  const asked: unknown[] = []
  const watch = openDownWatch('msgapp', {
    clock,
    async askStorage(query: { kind: string }) {
      asked.push(query)
    },
  } as Parameters<typeof openDownWatch>[1])
  return { clock, asked, watch }
}

test('a way back that is down for five minutes is told to storage, again each 15 minutes, and when it is up', () => {
  const { clock, asked, watch } = rig()
  watch({ state: 'up' })
  const since = clock.now()
  watch({ state: 'backing_off', lastError: 'ECONNREFUSED' })
  clock.advance(4 * MINUTE)
  watch({ state: 'connecting' })
  assert.deepEqual(asked, [])
  clock.advance(MINUTE)
  const down = { kind: 'wayBack', channel: 'msgapp', way: { channel: 'msgapp', since, error: 'ECONNREFUSED' } }
  assert.deepEqual(asked, [down])
  clock.advance(15 * MINUTE)
  assert.deepEqual(asked, [down, down])
  watch({ state: 'up' })
  clock.advance(60 * MINUTE)
  assert.deepEqual(asked, [down, down, { kind: 'wayBack', channel: 'msgapp' }])
})

test('a way back that is up again within five minutes, or is switched off, is no news', () => {
  const { clock, asked, watch } = rig()
  for (const state of ['up', 'waiting', 'off'] as const) {
    watch({ state: 'refused', lastError: 'Unauthorized' })
    clock.advance(4 * MINUTE)
    watch({ state })
  }
  clock.advance(60 * MINUTE)
  assert.deepEqual(asked, [])
})

test('the notice names the channels, since when, and the last error', () => {
  const ways = [{ channel: 'msgapp', since: Date.UTC(2026, 10, 27, 3, 12), error: 'Unauthorized' }] as const
  const rules = { escaping: 'none', limit: { max: 7_000, unit: 'utf16' } } as const
  assert.deepEqual(
    noticeText({ kind: 'ways down', ways }, rules, { publicHost: 'https://t.example.net' }).text.split('\n'),
    [
      '🔇 Buttons do nothing: the way back of answers is down for msgapp',
      '',
      'msgapp: since 2026-11-27T03:12:00.000Z: Unauthorized',
      'Messages are sent, and links work. See https://t.example.net/#/channels',
    ],
  )
})
