import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMIT_WINDOW } from '../../../actors/messages/ingest-journal.ts'
import { bodiesOn, frameOf } from '../../journal/support.ts'
import { keyed, plain, Rig } from './rig.ts'

test('the batches of one turn are written with one write and one sync', () => {
  const rig = new Rig()
  rig.commit(plain())
  const calls: string[] = []
  rig.disk.before = (call) => {
    if (call === 'write' || call === 'sync') calls.push(call)
    return undefined
  }
  const batches = rig.commit(plain(2), plain(3), plain(4))
  assert.deepEqual(calls, ['write', 'sync'])
  assert.deepEqual([...rig.answers()].slice(-3), [
    [batches[0], ['created from 2']],
    [batches[1], ['created from 4']],
    [batches[2], ['created from 7']],
  ])
  assert.equal(rig.progress.committed, 10)
})

test('a batch is answered after it is on the disk, and storage is told then', () => {
  const rig = new Rig()
  let answered = -1
  rig.disk.before = (call) => {
    if (call === 'sync') answered = rig.answers().size + rig.announced.queued + rig.progress.committed
    return undefined
  }
  rig.commit(plain())
  assert.equal(answered, 0)
  assert.equal(rig.answers().size, 1)
  assert.deepEqual([rig.announced.queued, rig.progress.committed], [1, 1])
})

test('a disk that refuses answers its code, is tried again after 500 ms, and is reported once', () => {
  const rig = new Rig()
  let tries = 0
  rig.disk.before = (call) => {
    if (call === 'sync') tries++
    return call === 'sync' ? 'EIO' : undefined
  }
  const [first] = rig.commit(plain(2))
  assert.deepEqual(rig.answerOf(first), ['storage_down', 'storage_down'])
  const [second] = rig.commit(plain())
  assert.deepEqual(rig.answerOf(second), ['storage_down'])
  assert.equal(tries, 1)
  rig.disk.before = () => undefined
  rig.clock.advance(499)
  assert.deepEqual(rig.answerOf(rig.commit(plain())[0]), ['storage_down'])
  rig.clock.advance(1)
  assert.deepEqual(rig.answerOf(rig.commit(plain())[0]), ['created from 1'])
  assert.deepEqual(rig.reports, ['refused: storage_down', 'recovered'])
  assert.equal(rig.progress.committed, 1)
})

test('a full disk answers storage_full', () => {
  const rig = new Rig()
  rig.disk.before = (call) => (call === 'write' ? 'ENOSPC' : undefined)
  assert.deepEqual(rig.answerOf(rig.commit(plain())[0]), ['storage_full'])
})

test('segments are freed when storage has the incidents, also while nothing is committed', () => {
  const rig = new Rig()
  for (let at = 0; at < 40; at++) {
    rig.commit(frameOf([`{"a":"${'x'.repeat(900)}"}`]))
    rig.answers()
  }
  assert.ok(rig.journal.size.usedBytes > 36_000)
  rig.applied(40)
  rig.clock.advance(1_000)
  assert.equal(rig.journal.size.usedBytes, 0)
})

test('a frame that cannot be read is refused, and the others of its turn are committed once', async () => {
  const rig = new Rig()
  const broken = plain()
  broken.fill(0, 0, 4)
  const [before, bad, after, withKey] = rig.commit(plain(), broken, plain(), keyed('k'))
  await rig.rebuilt()
  rig.found()
  const answers = rig.answers()
  assert.deepEqual(answers.get(before ?? 0), ['created from 1'])
  assert.deepEqual(answers.get(bad ?? 0), [])
  assert.deepEqual(answers.get(after ?? 0), ['created from 2'])
  assert.deepEqual(answers.get(withKey ?? 0), ['created from 3'])
  assert.equal(rig.progress.committed, 3)
  assert.equal(bodiesOn(rig.disk, 0, 3).size, 3)
  assert.equal(rig.cell.mailbox.occupied, 0)
  assert.ok(rig.reports.includes('dead letter: commit'))
})

test('a failure behind the write writes nothing again, and every batch is answered once', async () => {
  const rig = new Rig()
  const batches = Array.from({ length: COMMIT_WINDOW - 1 }, () => rig.commit(plain())).flat()
  let failures = 0
  rig.appended = () => {
    if (failures++ === 0) throw new Error('on purpose')
  }
  // The answer to the second one waits for room.
  batches.push(...rig.commit(plain(), plain()))
  await rig.rebuilt()
  assert.equal(rig.reports[0], 'failed: Error: on purpose')
  const answers = [...rig.answers(), ...rig.answers()]
  assert.deepEqual(
    answers,
    batches.map((batch, at) => [batch, [`created from ${at + 1}`]]),
  )
  assert.equal(rig.progress.committed, batches.length)
  assert.equal(rig.cell.mailbox.occupied, 0)
})

test('a batch holds its place until its answer is sent', () => {
  const rig = new Rig()
  for (let at = 0; at < 40; at++) rig.commit(plain())
  assert.equal(rig.cell.mailbox.occupied, 24)
  rig.answers()
  assert.equal(rig.cell.mailbox.occupied, 8)
  rig.answers()
  assert.equal(rig.cell.mailbox.occupied, 0)
})

test('a failure while batches are answered leaves none unanswered, and writes none again', async () => {
  const rig = new Rig()
  let answers = 0
  rig.answering = () => {
    if (++answers === 2) throw new Error('on purpose')
  }
  const batches = rig.commit(plain(), plain(), plain())
  await rig.rebuilt()
  assert.equal(rig.reports[0], 'failed: Error: on purpose')
  assert.deepEqual(
    [...rig.answers()],
    batches.map((batch, at) => [batch, [`created from ${at + 1}`]]),
  )
  assert.deepEqual([rig.progress.committed, rig.cell.mailbox.occupied], [3, 0])
})

test('a batch whose key was looked up is answered when another batch of the turn cannot be read', async () => {
  const rig = new Rig()
  const [withKey] = rig.commit(keyed('k'))
  const { messages, slots } = rig.lookups.take(1)
  slots[0]?.free()
  const broken = plain()
  broken.fill(0, 0, 4)
  const bad = rig.offer(broken)
  rig.tell({ kind: 'found', lookup: messages[0]?.lookup ?? 0, ids: [null] })
  await rig.rebuilt()
  const answers = rig.answers()
  assert.deepEqual([answers.get(withKey ?? 0), answers.get(bad)], [['internal'], []])
  assert.equal(rig.cell.mailbox.occupied, 0)
  assert.deepEqual(rig.answerOf(rig.commit(plain())[0]), ['created from 1'])
})

test('a frame whose keys cannot be read is refused, and holds up no other', async () => {
  const rig = new Rig()
  const broken = keyed('k')
  broken.set(Buffer.from('no JSON'), Buffer.from(broken).indexOf('[['))
  const [bad, good] = rig.commit(broken, keyed('good'))
  await rig.rebuilt()
  assert.deepEqual(rig.found(), ['good'])
  const [after] = rig.commit(plain())
  const answers = rig.answers()
  assert.deepEqual(answers.get(bad ?? 0), ['internal'])
  assert.deepEqual(answers.get(good ?? 0), ['created from 1'])
  assert.deepEqual(answers.get(after ?? 0), ['created from 2'])
  assert.equal(rig.cell.mailbox.occupied, 0)
})
