import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reload } from '../../../actors/main/reload.ts'
import { loadConfig } from '../../../src/config/load.ts'
import type { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import { configFile, folder } from '../../harness/config-file.ts'

const configOf = (maxBacklog: number) => {
  const storage = { file: { max_backlog: maxBacklog } }
  return { settings: loadConfig({ file: configFile(folder(), { storage }), env: {} }).config, secrets: [] }
}

test('a reload of a replica that follows leaves its threads ready for a take-over', async () => {
  const ready = new Set(['store', 'send'])
  const started: string[] = []
  const supervisor = {
    ask: async () => undefined,
    stop: async (name: string) => void ready.delete(name),
    replace: async (name: string) => void started.push(name),
    prepare: (name: string) => void ready.add(name),
  } as unknown as Supervisor
  const log = { warn() {}, error() {} } as never
  const reload = new Reload(configOf(1_000), { supervisor: () => supervisor, log, runs: () => false })
  await reload.change(configOf(2_000))
  assert.deepEqual([[...ready].sort(), started], [['send', 'store'], []])
})
