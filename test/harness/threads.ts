import type { TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'

/** Follows the worker threads of this process: `get` the running one, `next` resolves when one of that name starts. */
export function watchThreads(t: TestContext) {
  const threads = new Map<string, Worker>()
  const waiting = new Map<string, () => void>()
  const seen = (worker: Worker) => {
    const name = (worker as Worker & { readonly threadName?: string }).threadName ?? ''
    threads.set(name, worker)
    waiting.get(name)?.()
    waiting.delete(name)
  }
  process.on('worker', seen)
  t.after(() => process.off('worker', seen))
  return {
    get: (name: string) => threads.get(name),
    next: (name: string) => new Promise<void>((resolve) => waiting.set(name, resolve)),
  }
}
