import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { INSPECT, PROFILE_DIR, recordService } from '../profile/services.ts'
import { listening, removeOnStop, type Server, spawnNode } from './process.ts'

export type { Server } from './process.ts'

const ALERTMANAGER = 'prometheus-alertmanager'
const NAME_THREADS = new URL('./name-threads.ts', import.meta.url).href
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SINK = fileURLToPath(new URL('../sinks/sink.ts', import.meta.url))
const SICK_SINK = fileURLToPath(new URL('../sinks/sick-sink.ts', import.meta.url))
const BASELINE = fileURLToPath(new URL('../baselines/parse-and-answer.ts', import.meta.url))

/** The service itself on a data directory of its own, with `config` over quiet defaults and no channel but what `config` enables. */
export async function startService(config: object = {}): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-'))
  const file = join(dir, 'config.yaml')
  const base = {
    host: '127.0.0.1',
    port: 0,
    alert: { console: { enable: false } },
    storage: { file: { data_dir: join(dir, 'data') } },
  }
  writeFileSync(file, stringify({ ...base, ...config }))
  const args = ['--import', NAME_THREADS, MAIN, '--config', file]
  return removeOnStop(dir, await (PROFILE_DIR === '' ? start(args) : startRecorded(args)))
}

/** The front that only parses and answers; the sinks that stand for the providers. */
export const startBaseline = () => start([BASELINE])
export const startSink = () => start([SINK])
export const startSickSink = () => start([SICK_SINK])

/** False: it is not installed. */
export function hasAlertmanager(): boolean {
  return spawnSync(ALERTMANAGER, ['--version']).status === 0
}

/** One that keeps to itself and notifies nobody. */
export async function startAlertmanager(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-peer-'))
  const file = join(dir, 'alertmanager.yml')
  writeFileSync(file, stringify({ route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }] }))
  const args = [`--config.file=${file}`, `--storage.path=${dir}`, '--cluster.listen-address=']
  const child = spawn(ALERTMANAGER, [...args, '--web.listen-address=127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return removeOnStop(dir, await listening(child, child.stderr, /Listening on.*127\.0\.0\.1:(\d+)/))
}

async function start(args: readonly string[]): Promise<Server> {
  const child = spawnNode(args)
  return listening(child, child.stdout)
}

/** What its threads do is written down from the time it is ready until it is stopped. */
async function startRecorded(args: readonly string[]): Promise<Server> {
  const child = spawnNode([...INSPECT, ...args], 'pipe')
  const server = await listening(child, child.stdout)
  let keep: (() => Promise<void>) | undefined = child.stderr ? await recordService(child, child.stderr) : undefined
  return {
    ...server,
    async stop() {
      await keep?.()
      keep = undefined
      await server.stop()
    },
  }
}
