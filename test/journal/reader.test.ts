import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openJournalReader } from '../../src/journal/reader.ts'
import { append, bodiesOf, DIRECTORY, newBody, newJournal, openOn } from './support.ts'

test('a reader follows the writer, up to what is committed', () => {
  const { disk, journal } = newJournal()
  const reader = openJournalReader(DIRECTORY, disk)
  assert.deepEqual(reader.read(1, 0, 1_000), [])
  const read: string[] = []
  const bodies: string[] = []
  for (let at = 1; at <= 100; at++) {
    bodies.push(newBody(300))
    append(journal, bodies.slice(-1))
    read.push(...reader.read(at, at, 1).flatMap(({ frame }) => bodiesOf(frame).map(([, body]) => body)))
  }
  assert.deepEqual(read, bodies)
  append(journal, ['{}'], ['{}'])
  assert.equal(reader.read(101, 101, 1_000_000).length, 1)
})

test('a read returns frames until they are enough, at least one', () => {
  const { disk, journal } = newJournal()
  for (let at = 0; at < 10; at++) append(journal, [newBody(900)])
  const reader = openJournalReader(DIRECTORY, disk)
  assert.deepEqual(
    reader.read(1, 10, 1).map(({ first }) => first),
    [1],
  )
  assert.deepEqual(
    reader.read(2, 10, 2_100).map(({ first }) => first),
    [2, 3, 4],
  )
})

test('a read behind a gap looks for its frame in one segment only, whatever was read before', () => {
  const { disk, journal } = newJournal()
  const bodies = Array.from({ length: 201 }, () => newBody(300))
  for (const body of bodies.slice(1)) append(journal, [body])
  const looked = new Map<string, number>()
  disk.before = (call, path) => {
    if (call === 'read') looked.set(path, (looked.get(path) ?? 0) + 1)
    return undefined
  }
  const reader = openJournalReader(DIRECTORY, disk)
  for (const number of [100, 103, 150, 151, 40, 199, 200, 1]) {
    looked.clear()
    const read = reader.read(number, 200, 1).flatMap(({ frame }) => bodiesOf(frame))
    assert.deepEqual(read, [[number, bodies[number]]])
    const beyondFirstFrame = [...looked.values()].filter((reads) => reads > 1)
    assert.equal(beyondFirstFrame.length, 1, `${number} was looked for in ${beyondFirstFrame.length} segments`)
  }
})

test('a read may begin inside a frame', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'], ['{"a":2}', '{"a":3}', '{"a":4}'])
  const [found] = openJournalReader(DIRECTORY, disk).read(3, 4, 1)
  assert.deepEqual([found?.first, found?.last], [2, 4])
})

test('a reader takes the frames of the later life when numbers were given again', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  const reader = openJournalReader(DIRECTORY, disk)
  assert.equal(reader.read(1, 1, 1).length, 1)
  // The refused frame stays behind the first one: neither its sync nor its erasure succeeds.
  let failures = 0
  disk.before = (call, path) => {
    if (call === 'sync' && failures++ === 0) return 'EIO'
    return call === 'write' && failures > 0 && path === `${DIRECTORY}/1` ? 'EIO' : undefined
  }
  assert.throws(() => append(journal, ['{"refused":2}']))
  disk.before = () => undefined
  append(journal, ['{"a":2}'])
  append(journal, ['{"a":3}'])
  const read = reader.read(2, 3, 1_000).flatMap(({ frame }) => bodiesOf(frame))
  assert.deepEqual(read, [
    [2, '{"a":2}'],
    [3, '{"a":3}'],
  ])
})

test('a reader that begins late finds its way through segments that are used again', () => {
  const { disk, journal } = newJournal()
  const bodies = new Map<number, string>()
  for (let at = 1; at <= 300; at++) {
    const body = newBody(400)
    append(journal, [body])
    bodies.set(at, body)
    journal.release(at - 20)
    if (at % 30 !== 0) continue
    const reader = openJournalReader(DIRECTORY, disk)
    const read = reader.read(at - 19, at, 1_000_000).flatMap(({ frame }) => bodiesOf(frame))
    assert.deepEqual(
      read,
      [...bodies].filter(([number]) => number > at - 20),
    )
  }
})

test('frames that are missing are skipped, and their absence at the end is no error', () => {
  const { disk, journal } = newJournal()
  for (let at = 1; at <= 40; at++) append(journal, [newBody(300)])
  journal.close()
  disk.remove(`${DIRECTORY}/1`)
  const reader = openJournalReader(DIRECTORY, disk)
  const [first] = reader.read(1, 40, 1)
  assert.ok((first?.first ?? 0) > 1)
  assert.deepEqual(reader.read(41, 50, 1), [])
  const { journal: again, damage } = openOn(disk)
  assert.equal(again.nextNumber, 41)
  assert.match(damage.join(), /^the incidents 1 to \d+ are missing/)
})

test('a disk that cannot be read is storage_down, and is read when it can', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  const reader = openJournalReader(DIRECTORY, disk)
  disk.before = (call) => (call === 'read' ? 'EIO' : undefined)
  assert.throws(() => reader.read(1, 1, 1), { code: 'storage_down' })
  disk.before = () => undefined
  assert.equal(reader.read(1, 1, 1).length, 1)
})
