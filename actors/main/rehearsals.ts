import { randomUUID } from 'node:crypto'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { proxy, wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import type { Rehearsal, RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import { CodedError } from '../../src/domain/errors.ts'
import { errorText } from '../../src/text/error-text.ts'
import type { Ask } from '../messages/query.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'
import { storeBoot } from '../wiring/boot.ts'
import type { HistorySource, RehearsalThread } from '../wiring/rehearsal.ts'
import type { SystemSettings } from '../wiring/settings.ts'

/** Two configurations, and the length of the history. */
interface RehearsalPlan {
  readonly inForce: SystemSettings
  readonly proposed: SystemSettings
  readonly hours: number
  /** Warnings about the proposed configuration. */
  readonly warnings: readonly string[]
}

interface RehearsalsDeps {
  readonly askStorage: Ask<StorageQueries>
  /** The script of the thread, which is loaded when a rehearsal begins. */
  readonly script: { readonly script: URL; readonly options: WorkerOptions }
  /** Epoch milliseconds. */
  now(): number
  /** Processor time of one rehearsal; absent: a minute. */
  readonly maxCpuMs?: number
}

const MAX_CPU_MS = 60_000
const MAX_KEPT = 10
/** A busy store answers between two turns. */
const ASK_MS = 30_000
const HOUR_MS = 3_600_000
/** Much more than a rehearsal needs. When it is not enough, that thread ends, not the process. */
const HEAP_MB = 512

/** Runs rehearsals, one at a time, each on a thread of its own, and keeps the last ones. */
export class Rehearsals {
  readonly #deps: RehearsalsDeps
  /** Oldest first. */
  readonly #kept = new Map<string, Rehearsal>()
  #worker: Worker | undefined
  #closed = false

  constructor(deps: RehearsalsDeps) {
    this.#deps = deps
  }

  /** Undefined: it was never begun, or is not kept any more. */
  find(id: string): Rehearsal | undefined {
    return this.#kept.get(id)
  }

  /** Begins a rehearsal. Throws rehearsal_busy, shutting_down. */
  begin({ inForce, proposed, hours, warnings }: RehearsalPlan): Rehearsal {
    if (this.#closed) throw new CodedError('shutting_down')
    if (this.#worker !== undefined)
      throw new CodedError('rehearsal_busy', 'another rehearsal runs; wait until it has ended')
    const { script, now, maxCpuMs = MAX_CPU_MS } = this.#deps
    const to = now()
    const plan = {
      inForce: storeBoot({ settings: inForce, secrets: [] }),
      proposed: storeBoot({ settings: proposed, secrets: [] }),
      from: to - hours * HOUR_MS,
      to,
      maxCpuMs,
    }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
    const worker = new Worker(script.script, { ...script.options, resourceLimits, name: 'rehearsal' })
    const begun: Rehearsal = {
      id: randomUUID(),
      state: 'running',
      progress: 0,
      warnings,
      error: null,
      result: null,
    }
    this.#worker = worker
    this.#keep(begun)
    this.#run(worker, begun.id, plan)
    return begun
  }

  /** Ends the one that runs. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
  }

  #run(worker: Worker, id: string, plan: Parameters<RehearsalThread['rehearse']>[0]): void {
    const { askStorage } = this.#deps
    const source: HistorySource = {
      range: (asked) => askStorage({ kind: 'historyRange', asked }, ASK_MS),
      page: (numbers) => askStorage({ kind: 'historyPage', numbers }, ASK_MS),
      silences: (from) => askStorage({ kind: 'historySilences', from }, ASK_MS),
    }
    const fail = (error: unknown) => this.#change(id, { state: 'failed', error: errorText(error) })
    const progress = (done: number) => this.#change(id, { progress: done })
    worker.on('error', fail)
    worker.once('exit', () => {
      this.#forget(worker)
      if (this.#kept.get(id)?.state === 'running') fail('the rehearsal was ended before it was done')
    })
    wrap<RehearsalThread>(nodeEndpoint(worker))
      .rehearse(plan, proxy(source), proxy(progress))
      .then((result) => this.#change(id, endOf(result)), fail)
      .finally(() => {
        this.#forget(worker)
        void worker.terminate()
      })
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }

  #change(id: string, changes: Partial<Rehearsal>): void {
    const before = this.#kept.get(id)
    if (before !== undefined) this.#kept.set(id, { ...before, ...changes })
  }

  #keep(rehearsal: Rehearsal): void {
    this.#kept.set(rehearsal.id, rehearsal)
    for (const id of [...this.#kept.keys()].slice(0, -MAX_KEPT)) this.#kept.delete(id)
  }
}

function endOf(result: RehearsalResult): Partial<Rehearsal> {
  const { partial } = result.history
  if (partial === null) return { state: 'done', progress: 1, result }
  return { state: 'partial', error: `${partial.because}; rehearse a shorter time for all of it`, result }
}
