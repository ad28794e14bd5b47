import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

interface SpawnOptions {
  readonly stdio?: StdioOptions
  /** Added to the environment of this process. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Starts a Node program in a process of its own. By default its output is piped and its errors go to those of this
 * process.
 */
export function spawnNode(
  args: readonly string[],
  { stdio = ['ignore', 'pipe', 'inherit'], env = {} }: SpawnOptions = {},
): ChildProcess {
  const options = ['--disable-warning=ExperimentalWarning', ...args]
  return spawn(process.execPath, options, { stdio, env: { ...process.env, ...env } })
}

interface PortOptions {
  /** The first group is the port. */
  readonly pattern?: RegExp
  onLine?(line: string): void
}

/**
 * Resolves with the port in the first line that matches. Rejects when the process ends before. Reads the streams until
 * they end, so that the process never waits for its output to be read.
 */
export function portOf(
  child: ChildProcess,
  streams: readonly (Readable | null)[],
  { pattern = /"port":(\d+)/, onLine }: PortOptions = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) =>
      reject(new Error(`the process ended with ${signal ?? code} before it was ready`)),
    )
    for (const input of streams) {
      if (!input) return reject(new Error('the output of the process is not piped'))
      createInterface({ input }).on('line', (line) => {
        onLine?.(line)
        const [, port] = pattern.exec(line) ?? []
        if (port !== undefined) resolve(Number(port))
      })
    }
  })
}
