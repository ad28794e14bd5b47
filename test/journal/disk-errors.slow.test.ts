import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '../../src/domain/errors.ts'
import type { Journal } from '../../src/journal/contract.ts'
import { Disk } from './disk.ts'
import { append, bodiesOn, inBackground, newBody, newJournal, openOn } from './support.ts'

/** Opens a journal, passes through a few segments and uses some again. Returns the bodies that were answered. */
async function work(disk: Disk, onError: (error: unknown) => void): Promise<Map<number, string>> {
  const answered = new Map<number, string>()
  const { journal } = openOn(disk)
  for (let at = 0; at < 30; at++) {
    const body = newBody(600)
    await retried(() => append(journal, [body]), onError)
    answered.set(journal.nextNumber - 1, body)
    if (at % 5 === 4) journal.release(journal.nextNumber - 3)
    await inBackground()
  }
  journal.close()
  return answered
}

async function retried(attempt: () => void, onError: (error: unknown) => void): Promise<void> {
  for (let attempts = 0; attempts < 10; attempts++) {
    try {
      return attempt()
    } catch (error) {
      onError(error)
      await inBackground()
    }
  }
  assert.fail('the journal does not recover')
}

for (const [code, expected] of [
  ['EIO', 'storage_down'],
  ['ENOSPC', 'storage_full'],
] as const) {
  test(`${code} at any one call refuses with ${expected} at most, loses nothing, and passes`, async () => {
    let calls = 0
    const counted = new Disk(['/data'])
    counted.before = () => {
      calls++
      return undefined
    }
    await work(counted, () => assert.fail('no call fails'))
    for (let failing = 1; failing <= calls; failing++) {
      const disk = new Disk(['/data'])
      openOn(disk).journal.close()
      let call = 0
      disk.before = (kind) => {
        // Opening fails as a whole, which the thread's supervisor handles; closing never fails so.
        if (kind === 'close' || kind === 'list' || kind === 'makeDirectory') return undefined
        return ++call === failing ? code : undefined
      }
      let answered: Map<number, string>
      try {
        answered = await work(disk, (error) => assert.equal((error as CodedError).code, expected))
      } catch (error) {
        assert.ok(error instanceof CodedError && error.code === expected, `call ${failing}: ${error}`)
        continue
      }
      disk.before = () => undefined
      const released = 27
      const { journal, damage } = openOn(disk.afterPowerCut(), released)
      const found = bodiesOn(disk.afterPowerCut(), released, journal.nextNumber - 1)
      for (const [number, body] of answered)
        if (number > released) assert.equal(found.get(number), body, `call ${failing}, number ${number}`)
      assert.deepEqual(damage, [], `call ${failing}`)
    }
  })
}

test('a full disk refuses what needs another segment, and takes it when there is room', () => {
  const { disk, journal } = newJournal()
  disk.before = (call, path) => (call === 'write' && path.endsWith('.new') ? 'ENOSPC' : undefined)
  const answered = untilRefused(journal)
  assert.ok(answered > 3)
  const before = disk.paths()
  assert.throws(() => append(journal, [newBody(600)]), { code: 'storage_full' })
  assert.throws(() => journal.check(), { code: 'storage_full' })
  assert.deepEqual(disk.paths(), before)
  // Room appears when storage has applied what the journal holds, without a byte more on the disk.
  journal.release(answered)
  disk.before = () => undefined
  append(journal, [newBody(600)])
  assert.equal(bodiesOn(disk, 0, answered + 1).size, answered + 1)
})

function untilRefused(journal: Journal): number {
  for (let answered = 0; ; answered++) {
    try {
      append(journal, [newBody(600)])
    } catch (error) {
      assert.equal((error as CodedError).code, 'storage_full')
      return answered
    }
  }
}

test('a group that needs two segments is refused as a whole when only one is there', () => {
  const { disk, journal } = newJournal()
  disk.before = (call, path) => (call === 'write' && path.endsWith('.new') ? 'ENOSPC' : undefined)
  const bodies = Array.from({ length: 12 }, () => newBody(600))
  assert.throws(() => append(journal, ...bodies.map((body) => [body])), { code: 'storage_full' })
  assert.equal(journal.nextNumber, 1)
  append(journal, ['{"a":1}'])
  assert.equal(openOn(disk.afterPowerCut(() => true)).journal.nextNumber, 2)
})

test('a journal opens on a full disk, and refuses the first incident', () => {
  const disk = new Disk(['/data'])
  disk.before = (call) => (call === 'write' ? 'ENOSPC' : undefined)
  const { journal } = openOn(disk)
  assert.throws(() => append(journal, ['{}']), { code: 'storage_full' })
  disk.before = () => undefined
  append(journal, ['{"a":1}'])
  assert.deepEqual([...bodiesOn(disk, 0, 1)], [[1, '{"a":1}']])
})

test('numbers of a refused group are given to the next one, which wins after a crash', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  // The frames of the group reach the disk, and the sync fails all the same.
  disk.choose = () => true
  let failed = false
  disk.before = (call) => {
    if (call !== 'sync' || failed) return undefined
    failed = true
    return 'EIO'
  }
  assert.throws(() => append(journal, ['{"refused":2}'], ['{"refused":3}'], ['{"refused":4}']), {
    code: 'storage_down',
  })
  append(journal, ['{"a":2}'])
  for (const crashed of [disk.afterKill(), disk.afterPowerCut(), disk.afterPowerCut(() => true)]) {
    const { journal: again } = openOn(crashed)
    assert.equal(again.nextNumber, 3)
    assert.deepEqual([...bodiesOn(crashed, 0, 2).values()], ['{"a":1}', '{"a":2}'])
  }
})

test('a group that is refused for good is not in the journal while the process lives', () => {
  const { disk, journal } = newJournal()
  append(journal, ['{"a":1}'])
  disk.before = (call) => (call === 'sync' ? 'EIO' : undefined)
  for (let attempt = 0; attempt < 5; attempt++)
    assert.throws(() => append(journal, ['{"a":2}']), { code: 'storage_down' })
  assert.equal(journal.nextNumber, 2)
  assert.equal(journal.find(2), undefined)
  assert.equal(journal.find(1)?.first, 1)
})
