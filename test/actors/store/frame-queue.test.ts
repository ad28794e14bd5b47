import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameQueue } from '../../../actors/store/frame-queue.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { StoredFrame } from '../../../src/journal/contract.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { draft, entryOf } from '../../store/support.ts'

const frameOf = (first: number, incidents = 1) =>
  entryOf(first, [{ drafts: Array.from({ length: incidents }, () => draft()) }]).frame as Uint8Array<ArrayBuffer>
const never = () => false
const firsts = (frames: readonly StoredFrame[]) => frames.map(({ first }) => first)

test('frames that were passed on are taken in order, and free their slot with the last one of the message', () => {
  const { queue, pass, freed, progress } = given()
  queue.applied(0)
  pass('a', frameOf(1), frameOf(2, 3))
  pass('b', frameOf(5))
  progress.committed = 5
  assert.deepEqual(firsts(queue.take(0, never)), [1, 2, 5])
  queue.applied(1)
  assert.deepEqual([firsts(queue.take(1, never)), freed], [[2, 5], []])
  queue.applied(4)
  assert.deepEqual([firsts(queue.take(4, never)), freed], [[5], ['a']])
  queue.applied(5)
  assert.deepEqual([firsts(queue.take(5, never)), freed, queue.dueAt(5)], [[], ['a', 'b'], undefined])
})

test('frames that may be skipped cost a turn nothing', () => {
  const { queue, pass, progress } = given()
  queue.applied(0)
  pass('a', frameOf(1, 200), frameOf(201, 200), frameOf(401, 200), frameOf(601, 200))
  progress.committed = 800
  assert.deepEqual(firsts(queue.take(0, never)), [1])
  const old = (last: number) => last <= 400
  assert.deepEqual(firsts(queue.take(0, old)), [1, 201, 401])
})

test('frames that were not passed on are read from the files before those that were', () => {
  const { queue, pass, files, progress, freed } = given()
  progress.committed = 2
  files.push(frameOf(1), frameOf(2))
  assert.deepEqual(firsts(queue.take(0, never)), [1, 2], 'at the start')
  queue.applied(2)
  assert.equal(queue.dueAt(2), undefined)
  files.push(frameOf(3), frameOf(4))
  pass('five', frameOf(5))
  progress.committed = 6
  files.push(frameOf(6))
  assert.deepEqual(firsts(queue.take(2, never)), [3, 4, 5])
  queue.applied(5)
  assert.deepEqual([freed, firsts(queue.take(5, never))], [['five'], [6]])
  pass('six', frameOf(6))
  queue.applied(6)
  assert.deepEqual([freed, queue.dueAt(6)], [['five', 'six'], undefined])
})

test('a notice of more frames has them read, once they are known to be committed', () => {
  const { queue, files, progress } = given()
  queue.applied(0)
  files.push(frameOf(1))
  progress.committed = 1
  assert.deepEqual([queue.take(0, never), queue.dueAt(0)], [[], undefined], 'they may be on their way')
  queue.more()
  assert.deepEqual([firsts(queue.take(0, never)), queue.dueAt(0)], [[1], 0])
})

test('frames of the files come before those that were passed on, however many there are', () => {
  const { queue, pass, files, progress } = given()
  queue.applied(0)
  for (let first = 1; first <= 40; first++) files.push(frameOf(first))
  pass('a', frameOf(20), frameOf(21))
  pass('b', frameOf(41))
  progress.committed = 41
  const taken: number[] = []
  for (let applied = 0; applied < 41; queue.applied(applied)) {
    const part = queue.take(applied, never)
    taken.push(...firsts(part))
    applied = part.at(-1)?.last ?? assert.fail('nothing was taken')
  }
  assert.deepEqual(
    taken,
    Array.from({ length: 41 }, (_, at) => at + 1),
  )
})

test('a gap in the files holds up nothing', () => {
  const { queue, pass, progress } = given()
  queue.applied(0)
  pass('behind the gap', frameOf(9))
  progress.committed = 9
  assert.deepEqual(firsts(queue.take(4, never)), [9])
  queue.applied(9)
  progress.committed = 12
  queue.more()
  assert.deepEqual([queue.take(9, never), queue.dueAt(9)], [[], undefined], 'nothing is asked for again and again')
})

test('files that cannot be read are reported once and tried twice a second', () => {
  const { queue, pass, files, progress, clock, reports, disk } = given()
  progress.committed = 1
  files.push(frameOf(1))
  disk.state = 'bad'
  const tries = () => {
    disk.reads = 0
    for (let ms = 0; ms < 2_000; ms += 100) {
      queue.take(0, never)
      clock.advance(100)
    }
    return disk.reads
  }
  assert.equal(tries(), 4)
  assert.deepEqual(reports, ['storage_down'])
  disk.state = 'good'
  assert.deepEqual(firsts(queue.take(0, never)), [1])
  queue.applied(1)
  disk.state = 'bad'
  pass('behind what cannot be read', frameOf(3))
  progress.committed = 3
  assert.deepEqual(queue.take(1, never), [])
  assert.equal(reports.length, 2)
})

test('one turn takes a bounded part, and at least one frame', () => {
  const { queue, pass, progress } = given()
  queue.applied(0)
  pass('large', frameOf(1, 3_000), frameOf(3_001, 200), frameOf(3_201, 50), frameOf(3_251, 200))
  progress.committed = 3_450
  assert.deepEqual(firsts(queue.take(0, never)), [1])
  assert.deepEqual(firsts(queue.take(3_000, never)), [3_001, 3_201])
})

test('a queue that closes frees all slots', () => {
  const { queue, pass, freed } = given()
  pass('a', frameOf(1), frameOf(2))
  pass('b', frameOf(3))
  pass('none')
  queue.close()
  assert.deepEqual(freed, ['none', 'a', 'b'])
})

function given() {
  const clock = new ManualClock()
  const files: Uint8Array<ArrayBuffer>[] = []
  const freed: string[] = []
  const reports: string[] = []
  const progress = { committed: 0 }
  const disk = { state: 'good' as 'good' | 'bad', reads: 0 }
  const start = clock.elapsed()
  const queue = new FrameQueue({
    clock: { elapsed: () => clock.elapsed() - start },
    progress,
    unreadable: ({ code }) => reports.push(code),
    reader: {
      read(number, committed) {
        disk.reads++
        if (disk.state === 'bad') throw new CodedError('storage_down')
        const inRange = files.flatMap((frame) => {
          const first = new DataView(frame.buffer, frame.byteOffset).getFloat64(16, true)
          return first >= number && first <= committed ? [{ frame, first, last: first }] : []
        })
        return inRange.slice(0, 7)
      },
    },
  })
  const pass = (name: string, ...frames: readonly Uint8Array<ArrayBuffer>[]) =>
    queue.add({ kind: 'entries', frames }, { free: () => freed.push(name) })
  return { queue, pass, files, freed, progress, clock, reports, disk }
}
