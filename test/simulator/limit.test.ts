import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHAT_LIMITS, ChatLimiter, type Limit } from '../harness/stand-ins/limit.ts'

/** Returns how many of `asked` requests, evenly over `seconds` and after a pause, are taken. */
function taken(limit: Limit, { asked, seconds }: { asked: number; seconds: number }): number[] {
  let nowMs = 3_600_000
  const limiter = new ChatLimiter(limit, () => nowMs)
  const times: number[] = []
  for (let nth = 0; nth < asked; nth++) {
    if (limiter.take('chat') === 0) times.push(nowMs)
    nowMs += (seconds * 1_000) / asked
  }
  return times
}

test('a channel takes four at once, then one a second', () => {
  const times = taken(CHAT_LIMITS.chatws, { asked: 6_000, seconds: 60 })
  assert.equal(times.length, 4 + 60)
  assert.equal(new Set(times.slice(0, 4)).size, 4)
})

test('a group takes twenty a minute after its burst', () => {
  const times = taken(CHAT_LIMITS.msgapp, { asked: 3_000, seconds: 300 })
  const after = times.filter((at) => at >= 3_600_000 + 60_000)
  assert.equal(after.length, 80)
})

test('a request that is refused is told when to come again, and takes nothing', () => {
  let nowMs = 0
  const limiter = new ChatLimiter({ perSecond: 0.1, burst: 1 }, () => nowMs)
  assert.equal(limiter.take('chat'), 0)
  for (let time = 0; time < 50; time++) assert.equal(limiter.take('chat'), 5)
  assert.equal(limiter.take('another chat'), 0)
  nowMs = 5_000
  assert.equal(limiter.take('chat'), 0)
})
