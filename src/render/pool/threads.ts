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

export interface ThreadsOptions extends RenderThreadData {
  /** 0: the number of cores minus one, at least one. */
  readonly threads: number
  /** Maximum time for one item. */
  readonly deadlineMs: number
}

/**
 * End of a turn.
 * - `rendered`, `invalid`: the thread's answer.
 * - `late`: an item exceeded the deadline; the thread was terminated.
 * - `died`: the thread ended by itself.
 *
 * `item` is the 1-based number of the item that was being rendered; absent before the first.
 */
export type TurnEnd =
  | RenderAnswer
  | { readonly kind: 'late'; readonly item?: number }
  | { readonly kind: 'died'; readonly item?: number; readonly message: string }

/** Maximum time for starting a thread and compiling the template. */
const START_DEADLINE_MS = 10_000
/**
 * Idle time after which a thread ends and frees its memory. The last thread stays, so that the next message need not
 * wait for a start.
 */
const IDLE_MS = 60_000
/** Checks per deadline: a late item is detected within a fifth of the deadline after it. */
const CHECKS_PER_DEADLINE = 5
/** Memory limits of a thread. A template that exceeds them ends its thread, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 }

/**
 * The render threads. One always runs, others are started for work and end when idle. A thread is terminated when an
 * item is late.
 */
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
      // Empty, so that a bug in a helper cannot reach variables that are not in `env`.
      env: {},
      workerData: { env, publicHost } satisfies RenderThreadData,
      resourceLimits: RESOURCE_LIMITS,
    })
    // Emitted when an idle thread dies; the next turn starts another.
    this.#pool.on('error', () => {})
  }

  /**
   * Runs one turn. Never rejects. Call at most `size` at a time: waiting for a thread counts towards the start
   * deadline.
   */
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
 * Detects that a turn makes no progress: the same item at two checks that are a deadline apart. So a busy event loop on
 * this thread never makes an item late. The timer also keeps the process running while a thread starts, which piscina
 * does not.
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
