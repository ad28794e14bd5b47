import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { configFile, folder } from '../../harness/config-file.ts'
import { recordingLoads } from '../../harness/loaded-files.ts'
import { admin, post } from '../../harness/net/requests.ts'
import { end, startProcess } from '../../harness/process.ts'

const SOURCES = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** Returns the files of briefs that a service loads, by their ends. */
async function loadedWith(t: TestContext, sections: object): Promise<string[]> {
  const dir = folder()
  const file = join(dir, 'loaded.txt')
  const config = configFile(dir, { log: { level: 'info' }, alert: {}, ...sections })
  const { url, child } = await startProcess(t, config, recordingLoads(file), SOURCES)
  await post(url, { title: 'Card declines' })
  await admin(url, '/api/admin/problems')
  await end(child, 'SIGTERM')
  const files = readFileSync(file, 'utf8').split('\n')
  assert.ok(files.some((each) => each.endsWith('/src/store/turn.ts')))
  return files.flatMap((each) => /\/src\/((?:store\/)?brief\/.*)$/.exec(each)?.[1] ?? [])
}

test('off, no file of briefs is loaded; with briefs and no replies, none of replies', async (t) => {
  const thread = { noise: { brief: { mode: 'thread' } } }
  assert.deepEqual(await loadedWith(t, thread), [])
  const kept = await loadedWith(t, { brief: { enable: true } })
  assert.ok(kept.includes('store/brief/part.ts'), kept.join())
  assert.ok(!kept.includes('store/brief/reply.ts') && !kept.includes('brief/text.ts'), kept.join())
  const replying = await loadedWith(t, { brief: { enable: true }, ...thread })
  assert.ok(replying.includes('store/brief/reply.ts'), replying.join())
})
