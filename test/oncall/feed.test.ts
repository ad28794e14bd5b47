import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedOf } from '../../src/oncall/feed.ts'

const FROM = Date.UTC(2030, 0, 7, 8)
const HOUR = 3_600_000
const shift = (hours: number, name: string) => ({
  ...{ schedule: 'primary', from: FROM, until: FROM + hours * HOUR, name, because: 'layer weeks' },
})
const of = (feed: string, field: string) => feed.split('\r\n').find((line) => line.startsWith(`${field}:`))
const numberIn = (line: string | undefined) => Number(/\d+$/.exec(line ?? '')?.[0] ?? Number.NaN)

test('a shift that has changed has the UID of before, a higher SEQUENCE and a later DTSTAMP', () => {
  const before = feedOf('On call', [shift(24, 'Ada')], FROM - 1_000)
  assert.equal(feedOf('On call', [shift(24, 'Ada')], FROM - 1_000), before, 'equal shifts make equal text')
  const after = feedOf('On call', [shift(12, 'Ben')], FROM)
  assert.equal(of(after, 'UID'), of(before, 'UID'))
  assert.equal(numberIn(of(after, 'SEQUENCE')), numberIn(of(before, 'SEQUENCE')) + 1)
  assert.deepEqual(
    [of(after, 'DTSTAMP'), of(after, 'LAST-MODIFIED')],
    ['DTSTAMP:20300107T080000Z', 'LAST-MODIFIED:20300107T080000Z'],
  )
  assert.ok(numberIn(of(after, 'SEQUENCE')) < 2 ** 31, 'it is an integer of the format')
})
