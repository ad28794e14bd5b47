import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, Rig } from './rig.ts'

/** Takes what storage was told, as storage does. */
function told({ announced }: Rig): number {
  const { messages, slots } = announced.take(10)
  for (const slot of slots) slot.free()
  return messages.length
}

test('storage is told of what was committed in a turn once', () => {
  const rig = new Rig()
  rig.commit(plain(), plain(2))
  assert.deepEqual([told(rig), told(rig)], [1, 0])
})

test('while storage has not looked, it is told nothing more; then it is told once of all that came meanwhile', () => {
  const rig = new Rig()
  for (let at = 0; at < 20; at++) {
    rig.commit(plain())
    rig.answers()
  }
  assert.deepEqual([told(rig), told(rig), told(rig)], [1, 1, 0])
})

test('a storage that is new is told to look', () => {
  const rig = new Rig()
  rig.storage('down')
  rig.storage('up')
  assert.equal(told(rig), 1)
})

test('frames with keys are known as such before they are known to be committed', () => {
  const rig = new Rig()
  rig.commit(plain(3))
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [0, 3])
  rig.commitKeyed('k')
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [4, 4])
  rig.commit(plain())
  assert.deepEqual([rig.progress.keyed, rig.progress.committed], [4, 5])
})
