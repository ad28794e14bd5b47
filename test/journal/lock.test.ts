import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { lockJournal } from '../../src/journal/lock.ts'
import { folder } from '../harness/config-file.ts'

const LOCK = new URL('../../src/journal/lock.ts', import.meta.url).href

/** Takes the lock in another process; returns the code of the error, '' for none. */
function lockElsewhere(dir: string): string {
  const script = `import { lockJournal } from '${LOCK}'
try { lockJournal(process.argv[1]); console.log('') } catch ({ code }) { console.log(code) }`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, dir]
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout.trim()
}

test('one process writes a journal; a second one is refused until the first has ended or released it', () => {
  const dir = folder()
  const lock = lockJournal(dir)
  assert.equal(lockElsewhere(dir), 'storage_down')
  lock.release()
  assert.equal(lockElsewhere(dir), '')
  lockJournal(dir).release()
})

test('a lock that cannot be taken names the file', () => {
  assert.throws(() => lockJournal('/proc/none'), { code: 'storage_down', message: /journal\.lock cannot be locked/ })
})
