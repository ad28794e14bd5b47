import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENTRIES_WINDOW, MAX_ENTRIES_BYTES } from '../../../actors/messages/journal-storage.ts'
import { readFrameHeader } from '../../../src/domain/frame.ts'
import { openJournalReader } from '../../../src/journal/reader.ts'
import { DIRECTORY, frameOf } from '../../journal/support.ts'
import { plain, Rig } from './rig.ts'

/** Takes one message as storage does: the numbers of its frames, or 'more'. */
function taken({ entries }: Rig): 'more' | readonly number[] | undefined {
  const { messages, slots } = entries.take(1)
  const [mail] = messages
  slots[0]?.free()
  if (mail === undefined || mail.kind === 'more') return mail?.kind
  return mail.frames.map((frame) => readFrameHeader(frame)?.first ?? 0)
}

test('frames are passed on in order, those of a turn together', () => {
  const rig = new Rig()
  rig.commit(plain(), plain(2))
  rig.commit(plain())
  assert.deepEqual([taken(rig), taken(rig), taken(rig)], [[1, 2], [4], undefined])
})

test('when storage has no room, it is told once that there are more in the files', () => {
  const rig = new Rig()
  for (let at = 0; at < ENTRIES_WINDOW + 5; at++) {
    rig.commit(plain())
    rig.answers()
  }
  for (let at = 1; at <= ENTRIES_WINDOW; at++) assert.deepEqual(taken(rig), [at])
  assert.equal(taken(rig), 'more')
  assert.equal(taken(rig), undefined)
  const reader = openJournalReader(DIRECTORY, rig.disk)
  const rest = reader.read(ENTRIES_WINDOW + 1, rig.progress.committed, 1_000_000)
  assert.equal(rest.length, 5)
  rig.commit(plain())
  assert.deepEqual(taken(rig), [ENTRIES_WINDOW + 6])
})

test('frames are passed on again when storage has applied all that it was passed, not one by one', () => {
  const rig = new Rig()
  const commit = () => {
    rig.commit(plain())
    rig.answers()
  }
  for (let at = 0; at <= ENTRIES_WINDOW; at++) commit()
  const seen: unknown[] = []
  for (let at = 0; at < ENTRIES_WINDOW; at++) {
    seen.push(taken(rig))
    commit()
  }
  assert.deepEqual(
    seen,
    Array.from({ length: ENTRIES_WINDOW }, (_, at) => [at + 1]),
  )
  assert.deepEqual([taken(rig), taken(rig)], ['more', [2 * ENTRIES_WINDOW + 1]])
})

test('a frame that is too large for a message is left to the files', () => {
  const rig = new Rig()
  const large = frameOf([JSON.stringify({ a: 'x'.repeat(MAX_ENTRIES_BYTES) })])
  rig.commit(plain(), large, plain())
  assert.deepEqual([taken(rig), taken(rig)], [[1], 'more'])
  rig.commit(plain())
  assert.deepEqual(taken(rig), [4])
})

test('a message holds no more bytes than it may', () => {
  const rig = new Rig()
  const half = () => frameOf([JSON.stringify({ a: 'x'.repeat(MAX_ENTRIES_BYTES / 2 - 1_000) })])
  rig.commit(half(), half(), half())
  assert.deepEqual([taken(rig), taken(rig)], [[1, 2], [3]])
})

test('a storage that is new is told that the files hold frames', () => {
  const rig = new Rig()
  rig.storage('down')
  rig.storage('up')
  assert.equal(taken(rig), 'more')
})
