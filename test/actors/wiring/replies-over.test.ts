import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repliesOver } from '../../../actors/wiring/replies-over.ts'
import { Link } from '../../../src/kernel/link.ts'
import { ManualPort, manualScheduler } from '../../kernel/support/by-hand.ts'

test('replies to a thread that ended free their slots and do not reach its successor', () => {
  const { scheduler, passAll } = manualScheduler()
  const link = new Link('peer', scheduler)
  const connect = () => {
    const [near] = ManualPort.channel()
    link.attach(near.port)
  }
  const replies = repliesOver<{ readonly kind: string }>(link, 'asking', 1)
  const freed: string[] = []
  const reply = (kind: string) => replies.tell({ kind }, () => freed.push(kind))
  connect()
  reply('sent')
  reply('finds no room')
  assert.deepEqual(freed, ['sent'])
  link.detach()
  reply('finds no thread')
  const posted = link.counts.tellsPosted
  connect()
  passAll()
  assert.deepEqual(freed, ['sent', 'finds no room', 'finds no thread'])
  assert.equal(link.counts.tellsPosted, posted)
  reply('of the successor')
  passAll()
  assert.equal(link.counts.tellsPosted, posted + 1)
})
