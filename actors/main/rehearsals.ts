import { randomUUID } from 'node:crypto'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import type { Rehearsal, RehearsalResult } from '../../src/api/noise/rehearsal.ts'
import { CodedError } from '../../src/domain/errors.ts'
import { errorText } from '../../src/text/error-text.ts'
import type { Ask } from '../messages/query.ts'
import type { FromRehearsal, ToRehearsal } from '../messages/rehearsal.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'
import { storeBoot } from '../wiring/boot.ts'
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
    const to = this.#deps.now()
    const {
      script: { script, options },
      maxCpuMs = MAX_CPU_MS,
    } = this.#deps
    const runs = {
      inForce: storeBoot({ settings: inForce, secrets: [] }),
      proposed: storeBoot({ settings: proposed, secrets: [] }),
    }
    const workerData = { ...runs, from: to - hours * HOUR_MS, to, maxCpuMs }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_MB }
    const worker = new Worker(script, { ...options, workerData, resourceLimits, name: 'rehearsal' })
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
    this.#follow(worker, begun.id)
    return begun
  }

  /** Ends the one that runs. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#worker?.terminate()
  }

  #follow(worker: Worker, id: string): void {
    worker.on('message', (message: FromRehearsal) => this.#receive(worker, id, message))
    worker.on('error', (error) => this.#change(id, { state: 'failed', error: errorText(error) }))
    worker.once('exit', () => {
      this.#forget(worker)
      if (this.#kept.get(id)?.state === 'running')
        this.#change(id, { state: 'failed', error: 'the rehearsal was ended before it was done' })
    })
  }

  #receive(worker: Worker, id: string, message: FromRehearsal): void {
    const { askStorage } = this.#deps
    switch (message.kind) {
      case 'range':
        return void answer(worker, askStorage({ kind: 'historyRange', asked: message.asked }, ASK_MS))
      case 'page':
        return void answer(worker, askStorage({ kind: 'historyPage', numbers: message.numbers }, ASK_MS))
      case 'silences':
        return void answer(worker, askStorage({ kind: 'historySilences', from: message.from }, ASK_MS))
      case 'progress':
        return this.#change(id, { progress: message.done })
      case 'done':
        this.#forget(worker)
        return this.#change(id, endOf(message.result))
      case 'failed':
        this.#forget(worker)
        return this.#change(id, { state: 'failed', error: message.error })
      default:
        message satisfies never
    }
  }

  /** Its thread ends by itself. */
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

async function answer(worker: Worker, asked: Promise<Extract<ToRehearsal, { kind: 'answer' }>['answer']>) {
  const reply: ToRehearsal = await asked.then(
    (found) => ({ kind: 'answer', answer: found }),
    (error) => ({ kind: 'refused', error: errorText(error) }),
  )
  worker.postMessage(reply)
}
