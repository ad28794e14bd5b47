import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFrameQueue } from '../../../actors/store/frame-queue.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { StoredFrame } from '../../../src/journal/contract.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { draft, entryOf } from '../../store/support.ts'

const firsts = (frames: readonly StoredFrame[]) => frames.map(({ first }) => first)

test('committed frames are taken in order, and again until they are applied', () => {
  const { queue, commit } = given()
  commit(1, 3, 1)
  assert.deepEqual(firsts(queue.take(0)), [1, 2, 5])
  queue.applied(1)
  assert.deepEqual(firsts(queue.take(1)), [2, 5])
  queue.applied(5)
  assert.deepEqual([firsts(queue.take(5)), queue.dueAt(5)], [[], undefined])
})

test('the files are read anew only when all that was read is applied', () => {
  const { queue, commit, disk } = given()
  commit(1, 1, 1)
  queue.take(0)
  queue.take(1)
  queue.take(2)
  assert.equal(disk.reads, 1)
  commit(1)
  assert.deepEqual([firsts(queue.take(3)), disk.reads], [[4], 2])
})

test('one turn takes a bounded part, and at least one frame', () => {
  const { queue, commit } = given()
  commit(3_000, 200, 50, 200)
  assert.deepEqual(firsts(queue.take(0)), [1])
  assert.deepEqual(firsts(queue.take(3_000)), [3_001, 3_201])
})

test('frames that are left out are not read', () => {
  const { queue, commit, disk } = given()
  commit(10, 10, 10)
  assert.deepEqual(firsts(queue.take(25)), [21])
  assert.deepEqual(disk.asked, [26])
})

test('there is something to take as long as more is committed than applied', () => {
  const { queue, commit } = given()
  assert.equal(queue.dueAt(0), undefined)
  commit(2)
  assert.equal(queue.dueAt(0), 0)
  assert.equal(queue.dueAt(2), undefined)
})

test('the age of the oldest frame is that of its commit, from the announcement on until all is applied', () => {
  const { queue, commit, clock } = given()
  const start = clock.now()
  queue.announced()
  assert.equal(queue.oldestCommitAt(), start)
  clock.advance(70)
  queue.announced()
  assert.equal(queue.oldestCommitAt(), start)
  commit(1, 1)
  queue.take(0)
  assert.equal(queue.oldestCommitAt(), 5_001)
  queue.applied(1)
  assert.equal(queue.oldestCommitAt(), 5_002)
  queue.applied(2)
  assert.equal(queue.oldestCommitAt(), undefined)
})

test('files that cannot be read are reported once and tried twice a second', () => {
  const { queue, commit, clock, reports, disk } = given()
  commit(1)
  disk.state = 'bad'
  for (let ms = 0; ms < 2_000; ms += 100) {
    assert.deepEqual(queue.take(0), [])
    clock.advance(100)
  }
  assert.deepEqual([disk.reads, reports, queue.dueAt(0)], [4, ['storage_down'], 2_000])
  disk.state = 'good'
  assert.deepEqual(firsts(queue.take(0)), [1])
  queue.applied(1)
  disk.state = 'bad'
  commit(1)
  assert.deepEqual([queue.take(1), reports.length], [[], 2])
})

/** `commit` appends frames with these numbers of incidents. */
function given() {
  const clock = new ManualClock()
  const files: StoredFrame[] = []
  const reports: string[] = []
  const progress = { committed: 0 }
  const disk = { state: 'good' as 'good' | 'bad', reads: 0, asked: [] as number[] }
  const start = clock.elapsed()
  const queue = createFrameQueue({
    clock: { elapsed: () => clock.elapsed() - start, now: () => clock.now() },
    progress,
    unreadable: ({ code }) => reports.push(code),
    reader: {
      read(number, committed) {
        disk.reads++
        disk.asked.push(number)
        if (disk.state === 'bad') throw new CodedError('storage_down')
        return files.filter(({ first, last }) => last >= number && first <= committed)
      },
    },
  })
  const commit = (...counts: readonly number[]) => {
    for (const count of counts) {
      const first = progress.committed + 1
      const drafts = Array.from({ length: count }, () => draft())
      const frame = entryOf(first, [{ drafts }]).frame.slice() as Uint8Array<ArrayBuffer>
      new DataView(frame.buffer).setFloat64(32, 5_000 + first, true)
      progress.committed += count
      files.push({ frame, first, last: progress.committed })
    }
  }
  return { queue, commit, progress, clock, reports, disk }
}
