import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FRAME_HEADER_BYTES, FRAME_MAGIC, readFrameHeader } from '../../src/domain/frame.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { append, bodiesOf, DIRECTORY, newBody, newJournal, openOn, segment } from './support.ts'

/** Places of the frames in a segment. */
function framesIn(content: Buffer): { readonly offset: number; readonly first: number }[] {
  const found = []
  for (let offset = 0; offset + FRAME_HEADER_BYTES <= content.length; ) {
    const header = content.readUInt32LE(offset) === FRAME_MAGIC && readFrameHeader(content.subarray(offset))
    if (!header) break
    found.push({ offset, first: header.first })
    offset += header.bytes
  }
  return found
}

test('a reader follows the writer, up to what is committed', () => {
  const { disk, journal } = newJournal()
  const reader = openJournalReader(DIRECTORY, disk)
  assert.deepEqual(reader.read(1, 0), [])
  const read: string[] = []
  const bodies: string[] = []
  for (let at = 1; at <= 100; at++) {
    bodies.push(newBody(300))
    append(journal, bodies.slice(-1))
    read.push(...reader.read(at, at).flatMap(({ frame }) => bodiesOf(frame).map(([, body]) => body)))
  }
  assert.deepEqual(read, bodies)
  append(journal, ['{}'], ['{}'])
  assert.equal(reader.read(101, 101).length, 1)
})

test('a reader that is behind reads many frames at once, and every one in the end', () => {
  const { disk, journal } = newJournal()
  for (let at = 1; at <= 300; at++) append(journal, [newBody()])
  const reader = openJournalReader(DIRECTORY, disk)
  const numbers: number[] = []
  let reads = 0
  for (let next = 1; next <= 300; reads++) {
    const frames = reader.read(next, 300)
    numbers.push(...frames.flatMap(({ frame }) => bodiesOf(frame).map(([number]) => number)))
    next = (frames.at(-1)?.last ?? assert.fail('nothing was read')) + 1
  }
  assert.deepEqual(
    numbers,
    Array.from({ length: 300 }, (_, at) => at + 1),
  )
  assert.ok(reads < 30, `${reads} reads`)
})

test('a frame that is larger than all that is read at once is read whole', () => {
  const { disk, journal } = newJournal()
  const large = newBody(1_100_000)
  append(journal, ['{"a":1}'])
  append(journal, [large])
  append(journal, ['{"a":3}'])
  const reader = openJournalReader(DIRECTORY, disk)
  const bodies = [1, 2, 3].map((number) => bodiesOf(reader.read(number, number)[0]?.frame ?? new Uint8Array())[0]?.[1])
  assert.deepEqual(bodies, ['{"a":1}', large, '{"a":3}'])
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
  for (const number of [100, 103, 150, 152, 40, 198, 200, 1]) {
    looked.clear()
    const read = reader.read(number, number).flatMap(({ frame }) => bodiesOf(frame))
    assert.deepEqual(read, [[number, bodies[number]]])
    const beyondFirstFrame = [...looked.values()].filter((reads) => reads > 1)
    assert.equal(beyondFirstFrame.length, 1, `${number} was looked for in ${beyondFirstFrame.length} segments`)
  }
})

test('a read may begin inside a frame', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'], ['{"a":2}', '{"a":3}', '{"a":4}'])
  const [found] = openJournalReader(DIRECTORY, disk).read(3, 4)
  assert.deepEqual([found?.first, found?.last], [2, 4])
})

test('a reader takes the frames of the later life when numbers were given again', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  const reader = openJournalReader(DIRECTORY, disk)
  assert.equal(reader.read(1, 1).length, 1)
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
  const read = reader.read(2, 3).flatMap(({ frame }) => bodiesOf(frame))
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
    const read: [number, string][] = []
    while (read.length < 20)
      read.push(...reader.read(at - 19 + read.length, at).flatMap(({ frame }) => bodiesOf(frame)))
    assert.deepEqual(
      read,
      [...bodies].filter(([number]) => number > at - 20),
    )
  }
})

test('frames that are missing are returned as such, before the next ones and at the end', () => {
  const { disk, journal } = newJournal()
  for (let at = 1; at <= 40; at++) append(journal, [newBody(300)])
  journal.close()
  disk.remove(`${DIRECTORY}/1`)
  const reader = openJournalReader(DIRECTORY, disk)
  const [gap] = reader.read(1, 40)
  assert.deepEqual([gap?.first, gap?.frame.length], [1, 0])
  assert.match(gap?.damage ?? '', /^the incidents 1 to \d+ are missing/)
  const next = (gap?.last ?? 0) + 1
  assert.deepEqual([reader.read(next, 40)[0]?.first, reader.read(next, 40)[0]?.damage], [next, undefined])
  const [end] = reader.read(41, 50)
  assert.deepEqual([end?.first, end?.last, end?.frame.length], [41, 50, 0])
  const { journal: again, damage } = openOn(disk)
  assert.equal(again.nextNumber, 41)
  assert.match(damage.join(), /^the incidents 1 to \d+ are missing/)
})

test('a frame that is damaged while the service runs is returned as damaged or missing, and the next ones are read', () => {
  for (const damaged of [1, 5, 39, 40]) {
    const { disk, journal } = newJournal()
    for (let at = 1; at <= 40; at++) append(journal, [newBody(300)])
    for (const path of disk.paths()) {
      const content = disk.contentOf(path)
      const frame = framesIn(content).find(({ first }) => first === damaged)
      if (frame) content[frame.offset + 100] = (content[frame.offset + 100] ?? 0) ^ 1
    }
    const reader = openJournalReader(DIRECTORY, disk)
    const seen: [number, boolean][] = []
    for (let next = 1; next <= 40; next = (seen.at(-1)?.[0] ?? 40) + 1)
      for (const { first, last, damage } of reader.read(next, 40))
        for (let number = first; number <= last; number++) seen.push([number, damage === undefined])
    assert.deepEqual(
      seen,
      Array.from({ length: 40 }, (_, at) => [at + 1, at + 1 !== damaged]),
    )
  }
})

test('of a last frame that is damaged while the service runs the bytes are returned, also at the begin of a segment', () => {
  for (const count of [1, 5]) {
    const { disk, journal } = newJournal()
    for (let at = 1; at <= count; at++) append(journal, [`{"a":${at}}`])
    const content = disk.contentOf(segment(1))
    const { offset } = framesIn(content).at(-1) ?? assert.fail('no frame')
    content[offset + 82] = (content[offset + 82] ?? 0) ^ 1
    const reader = openJournalReader(DIRECTORY, disk)
    const found = reader.read(count, count)[0]
    assert.deepEqual([found?.first, found?.last], [count, count])
    assert.match(found?.damage ?? '', /^the checksum is wrong/)
    assert.equal(readFrameHeader(found?.frame ?? new Uint8Array())?.first, count)
  }
})

test('the header of a damaged frame at the begin of a segment puts it nowhere but where its numbers are missing', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  journal.close()
  const { journal: next } = openOn(disk)
  append(next, ['{"a":2}'])
  const path = disk.paths().find((each) => readFrameHeader(disk.contentOf(each))?.first === 2) ?? ''
  // Its number is that of a frame that is whole.
  disk.contentOf(path).writeDoubleLE(1, 16)
  const reader = openJournalReader(DIRECTORY, disk)
  assert.equal(reader.read(1, 2)[0]?.damage, undefined)
  assert.match(reader.read(2, 2)[0]?.damage ?? '', /^the incidents 2 to 2 are missing/)
})

test('a disk that cannot be read is storage_down, and is read when it can', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  const reader = openJournalReader(DIRECTORY, disk)
  disk.before = (call) => (call === 'read' ? 'EIO' : undefined)
  assert.throws(() => reader.read(1, 1), { code: 'storage_down' })
  disk.before = () => undefined
  assert.equal(reader.read(1, 1).length, 1)
})
