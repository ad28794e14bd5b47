import { readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

/**
 * Loaded by `--import` before a program, on Linux: gives each worker's thread the worker's name in /proc, so that CPU
 * time can be read by thread. From version 24 on Node does that itself. Does not run in the workers.
 */
const TASKS = '/proc/self/task'
/** Name for workers without one: piscina's, which render. */
const NAMELESS = 'render'

class NamedWorker extends threads.Worker {
  constructor(script: string | URL, options?: threads.WorkerOptions) {
    const before = new Set(readdirSync(TASKS))
    super(script, options)
    for (const id of readdirSync(TASKS)) if (!before.has(id)) rename(id, options?.name ?? NAMELESS)
  }
}

function rename(id: string, name: string): void {
  writeFileSync(`${TASKS}/${id}/comm`, name)
}

if (process.platform === 'linux') {
  for (const id of readdirSync(TASKS)) rename(id, id === String(process.pid) ? 'main' : 'v8')
  threads.Worker = NamedWorker
  syncBuiltinESMExports()
}
