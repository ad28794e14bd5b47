import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Stats } from '../../src/api/stats.ts'
import { configFile, folder } from '../harness/config-file.ts'
import { commitUnapplied } from '../harness/journal.ts'
import { scrapeOf } from '../harness/metrics.ts'
import { admin, post } from '../harness/net/requests.ts'
import { startProcess } from '../harness/process.ts'
import { twoChannels } from '../harness/providers.ts'

test('a service starts over a journal entry that cannot be applied, delivers all others, and reports what it keeps', async (t) => {
  const { chat, alert } = await twoChannels(t)
  const dir = folder()
  commitUnapplied(join(dir, 'data'), ['before', 'damaged', 'behind'])
  damage(join(dir, 'data/journal/1'), 'damaged')
  const { url, output } = await startProcess(t, configFile(dir, { alert, log: { level: 'info' } }))
  await post(url, { ServiceName: 'ledger', title: 'after the start' })
  for (const title of ['before', 'behind', 'after the start']) await chat.waitFor(({ body }) => body.includes(title))
  const { storage } = await admin<Stats>(url, '/api/admin/stats')
  assert.deepEqual([storage?.incidents, storage?.unapplied, storage?.quarantined], [4, 0, 1])
  const { values } = scrapeOf(await (await fetch(`${url}/metrics`)).text())
  assert.equal(values.get('tocsin_incidents_quarantined'), 1)
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('quarantine'))
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"level":"error".*"incidents":1.*tried again after the next start/)
})

/** Changes one byte of the frame that holds the text. */
function damage(segment: string, text: string): void {
  const bytes = readFileSync(segment)
  const at = bytes.indexOf(text)
  assert.ok(at > 0)
  bytes.write('D', at)
  writeFileSync(segment, bytes)
}
