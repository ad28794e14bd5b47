import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { MAIN } from '../../test/harness/process.ts'
import { spawnNode } from '../../test/harness/spawn.ts'
import { INSPECT, PROFILE_DIR, recordService } from '../profile/services.ts'
import { listening, removeOnStop, type Server } from './server.ts'

/** Program of the Alertmanager that is measured beside the service. */
const ALERTMANAGER = process.env.BENCH_ALERTMANAGER ?? 'prometheus-alertmanager'
const NAME_THREADS = new URL('./name-threads.ts', import.meta.url).href
/** Recordings name functions by their source files. */
const SOURCES = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SINK = fileURLToPath(new URL('../sinks/sink.ts', import.meta.url))
const FAULTY_SINK = fileURLToPath(new URL('../sinks/faulty-sink.ts', import.meta.url))
const BASELINE = fileURLToPath(new URL('../baselines/parse-and-answer.ts', import.meta.url))
const INSERTING_BASELINE = fileURLToPath(new URL('../baselines/insert-and-answer.ts', import.meta.url))

interface ServiceConfig {
  /** Without `data_dir`: an empty directory. */
  readonly storage?: { readonly file?: object }
  readonly [section: string]: unknown
}

/** Starts the service with an empty data directory and no channel but those that `config` enables. */
export async function startService({ storage, ...config }: ServiceConfig = {}): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-'))
  const file = join(dir, 'config.yaml')
  const base = {
    host: '127.0.0.1',
    port: 0,
    alert: { console: { enable: false } },
    storage: { ...storage, file: { data_dir: join(dir, 'data'), ...storage?.file } },
  }
  writeFileSync(file, stringify({ ...base, ...config }))
  const startOf = (script: string) => ['--import', NAME_THREADS, script, '--config', file]
  return removeOnStop(dir, await (PROFILE_DIR === '' ? start(startOf(MAIN)) : startRecorded(startOf(SOURCES))))
}

/** Starts the bare front, which only parses and answers. */
export const startBaseline = () => start([BASELINE])
/** Starts the bare front that inserts into a database. */
export const startInsertingBaseline = (url: string) => start([INSERTING_BASELINE, url])
/** Starts the stand-in for all providers. */
export const startSink = () => start([SINK])
/** Starts stand-ins of which two fail. */
export const startFaultySink = () => start([FAULTY_SINK])

/** True when Alertmanager is installed. */
export function hasAlertmanager(): boolean {
  return spawnSync(ALERTMANAGER, ['--version']).status === 0
}

/** Returns the version of the Alertmanager that is installed, such as `0.34.0`. */
export function alertmanagerVersion(): string {
  const { stdout, stderr } = spawnSync(ALERTMANAGER, ['--version'], { encoding: 'utf8' })
  return /version (\d[^\s,]*)/.exec(`${stdout}${stderr}`)?.[1] ?? ''
}

const SILENT = { route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }] }

/** Starts an Alertmanager without cluster; by default with a receiver that sends nothing. */
export async function startAlertmanager(config: object = SILENT): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-bench-peer-'))
  const file = join(dir, 'alertmanager.yml')
  writeFileSync(file, stringify(config))
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

/** Starts a service whose threads are recorded from the time it is ready until `stop`. */
async function startRecorded(args: readonly string[]): Promise<Server> {
  const child = spawnNode([...INSPECT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
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
