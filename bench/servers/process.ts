import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { cpuSeconds, cpuSecondsByThread, rssBytes } from '../../test/harness/watch/proc.ts'

/** A server in a process of its own, started fresh for one sample. */
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

/** Its output is piped. */
export const spawnNode = (args: readonly string[], errors: 'inherit' | 'pipe' = 'inherit') =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], { stdio: ['ignore', 'pipe', errors] })

/** Resolves when the child has told its port, in the line that says it is ready; what it says later is dropped. */
export async function listening(child: ChildProcess, output: Readable | null, port = /"port":(\d+)/): Promise<Server> {
  if (!output) throw new Error('the output of the server is not piped')
  const { pid = 0 } = child
  return {
    port: await portFrom(child, output, port),
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

function portFrom(child: ChildProcess, output: Readable, port: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
    createInterface({ input: output }).on('line', (line) => {
      const [, found] = port.exec(line) ?? []
      if (found) resolve(Number(found))
    })
  })
}

/** The server, whose folder goes when it has stopped. */
export function removeOnStop(dir: string, server: Server): Server {
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
