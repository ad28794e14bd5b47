import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { portOf, spawnNode } from './spawn.ts'

/** The program as users start it: bundled when the bundle is as new as the sources, else the sources. */
export const MAIN = fileURLToPath(new URL('../../src/start.js', import.meta.url))

export interface Started {
  readonly child: ChildProcess
  readonly url: string
  /** All that it has printed so far, on both streams. */
  output(): string
}

/**
 * Starts the service in a process of its own, which is killed when the test ends. Its log level must let `ready`
 * through.
 */
export async function startProcess(
  t: TestContext,
  file: string,
  env: NodeJS.ProcessEnv = {},
  script = MAIN,
): Promise<Started> {
  const { child, url, output } = spawnService(t, file, env, script)
  return { child, output, url: await url }
}

/** The same without waiting until it is ready; `url` rejects with its output when it ends before. */
export function spawnService(t: TestContext, file: string, env: NodeJS.ProcessEnv = {}, script = MAIN) {
  const child = spawnNode([script, '--config', file], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  const output = () => lines.join('\n')
  const port = portOf(child, [child.stdout, child.stderr], { onLine: (line) => lines.push(line) })
  const url = port.then(
    (found) => `http://127.0.0.1:${found}`,
    (error: Error) => Promise.reject(new Error(`${error.message}: ${output()}`)),
  )
  return { child, url, output }
}

/** Sends the signal, and resolves with exit code and signal when the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<unknown[]> {
  const ended = once(child, 'exit')
  child.kill(signal)
  return ended
}
