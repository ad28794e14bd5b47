import { readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

/**
 * To be imported before a program whose threads are to be told apart from outside: each worker that it starts carries its name as that of its
 * thread in /proc. Node gives both the same name from version 24 on. Nothing of it runs in the workers.
 */
const TASKS = '/proc/self/task'
/** A worker without a name: piscina starts those, for rendering. */
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
