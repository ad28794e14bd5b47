import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { check } from '../../src/commands/check.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import { configFile, folder } from '../harness/config-file.ts'

test('check names learned patterns whose source is not configured', async (t) => {
  const dir = folder()
  const sources = [{ name: 'app', type: 'http' }]
  const patterns = {
    a: { template: 'one <*>', source: 'file:app' },
    b: { template: 'two <*>', source: 'file:app' },
    c: { template: 'three <*>', source: 'app' },
  }
  const path = join(dir, 'patterns.json')
  const inDatabase = { type: 'postgres', postgres: { url: 'postgres://me@host/db' } }
  const printed = async (enable: boolean, kind = {}) => {
    const lines: string[] = []
    const log = t.mock.method(console, 'log', (line: string) => lines.push(line))
    const file = configFile(folder(), { agent: { enable, sources }, storage: { ...kind, file: { data_dir: dir } } })
    const code = await runCommand(check, ['--config', file])
    log.mock.restore()
    assert.equal(code, 0)
    return lines.filter((line) => line.includes('patterns.json'))
  }
  assert.deepEqual(await printed(true), [])
  writeFileSync(path, JSON.stringify({ version: 1, patterns }))
  const [warning = '', ...others] = await printed(true)
  assert.match(warning, /^warning: .*: 2 patterns belong to the source "file:app", which agent\.sources does not have/)
  assert.deepEqual(others, [])
  assert.deepEqual(await printed(false), [])
  assert.deepEqual(await printed(true, inDatabase), [])
  writeFileSync(path, '{"patterns": [')
  assert.deepEqual(await printed(true), [])
})
