import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { portOf } from '../../test/harness/spawn.ts'
import { cpuSeconds, cpuSecondsByThread, rssBytes } from '../../test/harness/watch/proc.ts'

/** A server in a process of its own, started for one sample. */
export interface Server {
  readonly port: number
  readonly url: string
  readonly pid: number
  /** CPU seconds of the process so far, user and system. */
  cpuSeconds(): number
  /** The same by thread; services only. */
  cpuSecondsByThread(): { readonly [thread: string]: number }
  /** Resident memory; 0 where there is no /proc. */
  rssBytes(): number
  /** Safe to call twice. */
  stop(): Promise<void>
}

/** Resolves when the server has printed its port on `output`. Rejects when it ends before. */
export async function listening(child: ChildProcess, output: Readable | null, pattern?: RegExp): Promise<Server> {
  const { pid = 0 } = child
  const port = await portOf(child, [output], pattern && { pattern })
  return {
    port,
    url: `http://127.0.0.1:${port}`,
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

/** Returns the server with a `stop` that also deletes the folder. */
export function removeOnStop(dir: string, server: Server): Server {
  return {
    ...server,
    async stop() {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
