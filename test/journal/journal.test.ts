import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFrameHeader } from '../../src/domain/frame.ts'
import { incidentNumberOf } from '../../src/domain/incident-id.ts'
import {
  append,
  bodiesOf,
  bodiesOn,
  frameOf,
  inBackground,
  newBody,
  newJournal,
  openOn,
  SMALL,
  segment,
} from './support.ts'

test('incidents are numbered in order of commit and found by their numbers', () => {
  const { journal } = newJournal()
  append(journal, ['{"a":1}', '{"a":2}'], ['{"a":3}'])
  append(journal, ['{"a":4}'])
  assert.equal(journal.nextNumber, 5)
  const found = journal.find(3)
  assert.deepEqual([found?.first, found?.last], [3, 3])
  assert.deepEqual(bodiesOf(journal.find(2)?.frame ?? new Uint8Array()), [
    [1, '{"a":1}'],
    [2, '{"a":2}'],
  ])
  assert.equal(journal.find(5), undefined)
  assert.equal(journal.find(0), undefined)
})

test('an id names the number, and ids of later commits sort behind', () => {
  const { journal } = newJournal()
  const frames = [frameOf(['{}']), frameOf(['{}', '{}'])]
  journal.append(frames)
  const ids = frames.flatMap((frame) => {
    const { idPrefix = '', first = 0, incidents = 0 } = readFrameHeader(frame) ?? {}
    return Array.from({ length: incidents }, (_, at) => idPrefix + (first + at).toString(16).padStart(12, '0'))
  })
  assert.deepEqual(ids.map(incidentNumberOf), [1, 2, 3])
  assert.deepEqual(ids.toSorted(), ids)
})

test('what is committed is there when the journal is opened again, over many segments', () => {
  const { disk, journal } = newJournal()
  const bodies = Array.from({ length: 200 }, () => newBody(300))
  for (const body of bodies) append(journal, [body])
  journal.close()
  const again = openOn(disk)
  assert.equal(again.journal.nextNumber, 201)
  assert.deepEqual([...bodiesOn(disk, 0, 200).values()], bodies)
  assert.deepEqual(bodiesOf(again.journal.find(137)?.frame ?? new Uint8Array()), [[137, bodies[136]]])
  assert.deepEqual(again.damage, [])
})

test('a life that wrote nothing leaves everything as it was', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  journal.close()
  for (let life = 0; life < 5; life++) openOn(disk).journal.close()
  const { journal: last } = openOn(disk)
  append(last, ['{"a":2}'])
  assert.deepEqual(
    [...bodiesOn(disk, 0, 2)],
    [
      [1, '{"a":1}'],
      [2, '{"a":2}'],
    ],
  )
})

test('numbers go on behind what the database has, also with an empty journal', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  journal.close()
  const { journal: behind, damage } = openOn(disk, 1_000)
  assert.equal(behind.nextNumber, 1_001)
  assert.deepEqual(damage, [])
})

test('segments are used again once their incidents are released', async () => {
  const { disk, journal } = newJournal()
  for (let at = 0; at < 400; at++) {
    append(journal, [newBody(500)])
    journal.release(journal.nextNumber - 3)
    await inBackground()
  }
  assert.ok(journal.size.segments <= 4, `${journal.size.segments} segments`)
  assert.equal(
    journal.size.bytes,
    disk.paths().reduce((sum, path) => sum + disk.contentOf(path).length, 0),
  )
})

test('segments of a backlog are removed after it, except a few', async () => {
  const { disk, journal } = newJournal()
  for (let at = 0; at < 400; at++) append(journal, [newBody(500)])
  await inBackground()
  assert.ok(journal.size.segments > 10)
  assert.equal(journal.size.usedBytes > 400 * 500, true)
  for (let at = 0; at < 100; at++) journal.release(400)
  assert.ok(disk.paths().length <= 5, disk.paths().join())
  assert.equal(journal.size.usedBytes, 0)
  append(journal, ['{"a":401}'])
  assert.deepEqual([...bodiesOn(disk, 400, 401)], [[401, '{"a":401}']])
})

test('a segment never changes its size, and doubles from one to the next', async () => {
  const { disk, journal } = newJournal()
  for (let at = 0; at < 200; at++) {
    append(journal, [newBody(300)])
    await inBackground()
  }
  const sizes = disk.paths().map((path) => disk.contentOf(path).length)
  assert.deepEqual(sizes.slice(0, 4), [4_096, 8_192, 16_384, 16_384])
  assert.ok(sizes.every((size) => size <= SMALL.maxBytes))
})

test('a frame that is larger than a segment gets a segment of its size', () => {
  const { disk, journal } = newJournal()
  const large = newBody(100_000)
  append(journal, ['{"a":1}'], [large], ['{"a":3}'])
  assert.deepEqual([...bodiesOn(disk, 0, 3).values()], ['{"a":1}', large, '{"a":3}'])
  assert.deepEqual([...bodiesOn(disk.afterPowerCut(), 0, 3).values()], ['{"a":1}', large, '{"a":3}'])
})

test('a write that takes only a part is gone on with', () => {
  const { disk, journal } = newJournal()
  disk.longestWrite = 7
  append(journal, ['{"a":1}', '{"a":2}'], ['{"a":3}'])
  assert.deepEqual([...bodiesOn(disk.afterPowerCut(), 0, 3).values()], ['{"a":1}', '{"a":2}', '{"a":3}'])
})

test('a frame of a newer format stops the start with the name of its file', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  journal.close()
  disk.contentOf(segment(1)).writeUInt16LE(2, 4)
  assert.throws(() => openOn(disk), { code: 'storage_down', message: new RegExp(`${segment(1)}.*version 2`) })
})

test('keys of incidents that are not released are known after a restart', () => {
  const { disk, journal } = newJournal()
  journal.append([frameOf(['{"a":1}'], { 0: { key: 'old' } })])
  const keyed = frameOf(['{"a":2}', '{"a":3}', '{"a":4}'], { 0: { key: 'k2' }, 2: { key: 'k4', source: 'topic' } })
  journal.append([frameOf(['{}']), keyed])
  journal.close()
  const { keys } = openOn(disk, 1)
  assert.deepEqual(
    keys.map(({ key, number, id }) => [key, number, incidentNumberOf(id)]),
    [
      ['k2', 3, 3],
      ['k4', 5, 5],
    ],
  )
})

test('a check proves that the disk takes writes, and leaves nothing behind', () => {
  const { disk, journal } = newJournal()
  journal.check()
  append(journal, ['{"a":1}'])
  journal.check()
  append(journal, ['{"a":2}'])
  journal.check()
  assert.deepEqual(
    [
      ...bodiesOn(
        disk.afterPowerCut(() => true),
        0,
        2,
      ).values(),
    ],
    ['{"a":1}', '{"a":2}'],
  )
  disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  assert.throws(() => journal.check(), { code: 'storage_down' })
  disk.before = () => undefined
  journal.check()
  assert.deepEqual([...bodiesOn(disk, 0, 2).values()], ['{"a":1}', '{"a":2}'])
})

test('a directory that is removed while the journal is open refuses with a way out', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  disk.removeDirectory('/data/journal')
  for (let attempt = 0; attempt < 3; attempt++)
    assert.throws(() => append(journal, ['{"a":2}']), { code: 'storage_down', message: /removed or replaced/ })
})

test('closing leaves no file open', async () => {
  const { disk, journal } = newJournal()
  for (let at = 0; at < 100; at++) append(journal, [newBody(300)])
  journal.find(50)
  bodiesOn(disk, 0, 100)
  journal.close()
  await inBackground()
  assert.equal(disk.openFiles, 0)
})

test('a hundred thousand incidents that are not released are recovered from their headers', () => {
  const { disk, journal } = newJournal()
  const bodies = Array.from({ length: 32 }, () => '{}')
  for (let group = 0; group < 100_000 / 32 / 25; group++)
    journal.append(Array.from({ length: 25 }, () => frameOf(bodies)))
  journal.close()
  const { journal: again } = openOn(disk)
  assert.equal(again.nextNumber, 100_001)
  assert.equal(again.find(77_777)?.first, 77_761)
})
