import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'

/** A server in a process of its own, started fresh for one trial. */
export interface Server {
  readonly port: number
  readonly pid: number
  /** CPU seconds the process has used so far, user and system. */
  cpuSeconds(): number
  /** Resident memory of the process; 0 where there is no /proc. */
  rssBytes(): number
  /** Safe to call twice. */
  stop(): Promise<void>
}

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
  const server = await start([MAIN, '--config', file])
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

export const startBaseline = () => start([BASELINE])
export const startSink = () => start([SINK])
export const startSickSink = () => start([SICK_SINK])

async function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await portOf(child)
  const pid = child.pid ?? 0
  return {
    port,
    pid,
    cpuSeconds: () => cpuSeconds(pid),
    rssBytes: () => rssBytes(pid),
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Both servers say `"port":N` in the line that tells they are ready; what they say later is dropped. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error('the child has no standard output')
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = /"port":(\d+)/.exec(line)?.[1]
      if (port) resolve(Number(port))
    })
  })
}

/** From /proc; 0 where there is none. */
function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

function rssBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
