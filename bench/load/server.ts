import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { cpuSeconds, cpuSecondsByThread, rssBytes } from './proc.ts'

/** A server in a process of its own, started fresh for one trial. */
export interface Server {
  readonly port: number
  readonly pid: number
  /** CPU seconds the process has used so far, user and system. */
  cpuSeconds(): number
  /** The same by thread; of services only. */
  cpuSecondsByThread(): { readonly [thread: string]: number }
  /** Resident memory of the process; 0 where there is no /proc. */
  rssBytes(): number
  /** Safe to call twice. */
  stop(): Promise<void>
}

const ALERTMANAGER = 'prometheus-alertmanager'
const NAME_THREADS = new URL('./name-threads.ts', import.meta.url).href
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const SINK = fileURLToPath(new URL('./sink.ts', import.meta.url))
const SICK_SINK = fileURLToPath(new URL('./sick-sink.ts', import.meta.url))
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
  return removing(dir, await start(['--import', NAME_THREADS, MAIN, '--config', file]))
}

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
  return removing(dir, await serverOf(child, await said(child, child.stderr, /Listening on.*127\.0\.0\.1:(\d+)/)))
}

export const startBaseline = () => start([BASELINE])
export const startSink = () => start([SINK])
export const startSickSink = () => start([SICK_SINK])

async function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return serverOf(child, await said(child, child.stdout, /"port":(\d+)/))
}

function serverOf(child: ChildProcess, port: number): Server {
  const { pid = 0 } = child
  return {
    port,
    pid,
    cpuSeconds: () => cpuSeconds(pid),
    cpuSecondsByThread: () => cpuSecondsByThread(pid),
    rssBytes: () => rssBytes(pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

function removing(dir: string, server: Server): Server {
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Every server tells its port in the line that says it is ready; what it says later is dropped. */
function said(child: ChildProcess, output: Readable, port: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
    createInterface({ input: output }).on('line', (line) => {
      const [, found] = port.exec(line) ?? []
      if (found) resolve(Number(found))
    })
  })
}
