import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { openJournal } from '../../src/journal/journal.ts'
import { openJournalReader } from '../../src/journal/reader.ts'
import { journalDirectory } from '../../src/journal/scan.ts'
import { folder } from '../harness/config-file.ts'
import { spawnNode } from '../harness/spawn.ts'
import { bodyOf } from './numbered-body.ts'
import { bodiesOf } from './support.ts'

const CHILD = join(import.meta.dirname, 'fixtures/append-forever.ts')

/** Runs a process that appends, kills it after so many groups; returns the last number that it saw committed. */
async function killedAfter(groups: number, dataDir: string, released: number): Promise<number> {
  const child = spawnNode([CHILD, dataDir, String(released)])
  let last = released
  let lines = 0
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  output.on('line', (line) => {
    assert.match(line, /^\d+$/)
    last = Number(line)
    if (++lines === groups) child.kill('SIGKILL')
  })
  await Promise.all([once(child, 'exit'), once(output, 'close')])
  assert.ok(lines >= groups, `the process ended after ${lines} groups`)
  return last
}

test('a process that is killed while it appends loses nothing that was committed, again and again', async () => {
  const dataDir = folder()
  let released = 0
  for (const groups of [1, 7, 100]) {
    const answered = await killedAfter(groups, dataDir, released)
    const damage: string[] = []
    const { journal } = openJournal({ dataDir, released, now: Date.now, damaged: (what) => damage.push(what) })
    const last = journal.nextNumber - 1
    journal.close()
    assert.deepEqual(damage, [])
    assert.ok(last >= answered, `the journal ends at ${last}, and ${answered} was committed`)
    const reader = openJournalReader(journalDirectory(dataDir))
    const found: [number, string][] = []
    for (let next = released + 1; next <= last; next = (found.at(-1)?.[0] ?? assert.fail('nothing was read')) + 1)
      found.push(...reader.read(next, last).flatMap(({ frame }) => bodiesOf(frame)))
    assert.deepEqual(
      found.filter(([number]) => number > released),
      Array.from({ length: last - released }, (_, at) => [released + 1 + at, bodyOf(released + 1 + at)]),
    )
    released = last - Math.floor(groups / 3)
  }
})
