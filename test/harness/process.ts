import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Started {
  readonly child: ChildProcess
  readonly url: string
  /** Everything it has printed so far, on both streams. */
  output(): string
}

/** The service as people run it, in a process of its own that is killed when the test ends; its log level has to let `ready` through. */
export async function startProcess(t: TestContext, file: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const { child, url, output } = spawnService(t, file, env)
  return { child, output, url: await url }
}

/** The same before it is ready; `url` rejects when it ends before it is. */
export function spawnService(t: TestContext, file: string, env: NodeJS.ProcessEnv = {}) {
  const args = ['--disable-warning=ExperimentalWarning', MAIN, '--config', file]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  const url = new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service ended before it was ready: ${lines.join('\n')}`)))
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream as Readable }).on('line', (line) => {
        lines.push(line)
        const port = /"port":(\d+)/.exec(line)?.[1]
        if (port) resolve(`http://127.0.0.1:${port}`)
      })
  })
  return { child, url, output: () => lines.join('\n') }
}
