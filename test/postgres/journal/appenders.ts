import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { AppenderPlan, AppenderReport } from './fixtures/append.ts'

/** Threads that append to one database, each like a replica of its own. */
export interface Appenders {
  readonly answered: ReadonlyMap<number, { readonly id: string; readonly body: string }>
  /** Bodies of appends that threw. */
  readonly refused: ReadonlySet<string>
  /** Ids that were answered for each key. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>
  /** Resolves when all have ended. Rejects with the first error of one. */
  stop(): Promise<void>
}

const SCRIPT = new URL('./fixtures/append.ts', import.meta.url)

export function startAppenders(
  t: TestContext,
  { url, count, keys = [] }: { readonly url: string; readonly count: number; readonly keys?: readonly string[] },
): Appenders {
  const answered = new Map<number, { id: string; body: string }>()
  const refused = new Set<string>()
  const byKey = new Map<string, Set<string>>()
  const problems: unknown[] = []
  const take = (report: AppenderReport) => {
    if (report.kind === 'refused') for (const body of report.bodies) refused.add(body)
    else if (report.kind === 'key') byKey.set(report.key, (byKey.get(report.key) ?? new Set()).add(report.id))
    else
      for (const [number, id, body] of report.incidents) {
        if (answered.has(number)) problems.push(new Error(`${number} was answered twice`))
        answered.set(number, { id, body })
      }
  }
  const workers = Array.from({ length: count }, (_, seed) => {
    const plan: AppenderPlan = { url, seed, keys }
    const worker = new Worker(SCRIPT, { workerData: plan })
    worker.on('message', take).on('error', (error) => problems.push(error))
    return { worker, ended: once(worker, 'exit') }
  })
  t.after(() => Promise.all(workers.map(({ worker }) => worker.terminate())))
  return {
    answered,
    refused,
    keys: byKey,
    async stop() {
      for (const { worker } of workers) worker.postMessage('stop')
      await Promise.all(workers.map(({ ended }) => ended))
      if (problems.length > 0) throw problems[0]
    },
  }
}
