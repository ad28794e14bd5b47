import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { errorText } from '../../text/error-text.ts'
import {
  ENDED,
  type Progress,
  type RenderAnswer,
  type RenderTask,
  type RenderThreadData,
  STARTING,
} from './protocol.ts'

interface ThreadsOptions extends RenderThreadData {
  /** 0: one less than there are cores, at least one. */
  readonly threads: number
  /** The most one item may take. */
  readonly deadlineMs: number
}

/** How a turn ended. `item`: 1-based number of the item that was being rendered; absent before the first. */
export type TurnEnd =
  | RenderAnswer
  | { readonly kind: 'late'; readonly item?: number }
  | { readonly kind: 'died'; readonly item?: number; readonly message: string }

/** A thread must be up and have its template compiled within this time. */
const START_DEADLINE_MS = 10_000
/** A thread without work ends after this time and gives its memory back, unless it is the last one: a page at night finds it ready. */
const IDLE_MS = 60_000
/** Looks per deadline: a late item is noticed at most this fraction after its deadline. */
const CHECKS_PER_DEADLINE = 5
/** Payloads are at most a megabyte or so; a template that builds more than this ends its thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 }

/** The render threads: one is kept, the others are started when work comes and ended when idle; killed when an item is late. */
export class RenderThreads {
  readonly size: number
  readonly #deadlineMs: number
  readonly #pool: Piscina

  constructor({ threads, deadlineMs, env, publicHost }: ThreadsOptions) {
    this.size = threads > 0 ? threads : Math.max(1, availableParallelism() - 1)
    this.#deadlineMs = deadlineMs
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      minThreads: 1,
      maxThreads: this.size,
      idleTimeout: IDLE_MS,
      recordTiming: false,
      // Templates see the names of `env` only; not even a hole in a helper can reach the others.
      env: {},
      workerData: { env, publicHost } satisfies RenderThreadData,
      resourceLimits: RESOURCE_LIMITS,
    })
    // A thread that died without work: the next turn starts another.
    this.#pool.on('error', () => {})
  }

  /** At most `size` turns may be under way: a turn that waits for a thread counts as starting. */
  async run(task: RenderTask): Promise<TurnEnd> {
    const abort = new AbortController()
    const watchdog = new Watchdog(task.progress, this.#deadlineMs, () => abort.abort())
    try {
      const options = { signal: abort.signal, transferList: [task.payloads.buffer] }
      return (await this.#pool.run(task, options)) as RenderAnswer
    } catch (error) {
      if (abort.signal.aborted) return { kind: 'late', ...itemAt(watchdog.lastProgress) }
      return { kind: 'died', message: errorText(error), ...itemAt(Atomics.load(task.progress, 0)) }
    } finally {
      watchdog.end()
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

function itemAt(progress: number): { item?: number } {
  return progress > STARTING ? { item: progress } : {}
}

/**
 * Sees whether a turn goes on. Being late takes two looks at the same item a deadline apart, so a busy event loop here
 * never makes an item late. The timer also keeps the process up while a thread starts, which piscina does not.
 */
class Watchdog {
  lastProgress = STARTING
  readonly #progress: Progress
  readonly #deadlineMs: number
  readonly #onLate: () => void
  readonly #timer: NodeJS.Timeout
  #sinceMs = performance.now()

  constructor(progress: Progress, deadlineMs: number, onLate: () => void) {
    this.#progress = progress
    this.#deadlineMs = deadlineMs
    this.#onLate = onLate
    this.#timer = setInterval(() => this.#check(), Math.max(1, deadlineMs / CHECKS_PER_DEADLINE))
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const now = performance.now()
    const progress = Atomics.load(this.#progress, 0)
    if (progress !== this.lastProgress) {
      this.lastProgress = progress
      this.#sinceMs = now
      return
    }
    const allowedMs = progress === STARTING || progress === ENDED ? START_DEADLINE_MS : this.#deadlineMs
    if (now - this.#sinceMs >= allowedMs) this.#onLate()
  }
}
