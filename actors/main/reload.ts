import { CodedError } from '../../src/domain/errors.ts'
import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { errorText } from '../../src/text/error-text.ts'
import type { StorageQuery } from '../messages/storage-queries.ts'
import type { Boot } from '../wiring/boot.ts'
import { quotaOf, type RunningConfig, sameAgentBoot, sameStoreBoot, templateSpecs } from '../wiring/boot.ts'
import type { SystemSettings } from '../wiring/settings.ts'
import { createAsks } from './ask.ts'

/**
 * Longer than senders take to finish what is on the wire (4 s), short enough to leave the front and the store thread
 * their part of a shutdown (8 s).
 */
const SEND_STOP_MS = 5_500
const STORE_STOP_MS = 8_000
const AGENT_STOP_MS = 3_000
const ASK_MS = 1_000

interface ReloadDeps {
  /** A function because the supervisor itself starts its threads with `current`. */
  supervisor(): Supervisor
  readonly log: Log
  /** Returns whether a thread runs on this replica now; one that does not is left stopped, and ready. */
  runs(thread: string): boolean
}

/**
 * The configuration that the threads run with, and its changes: one at a time, each whole or not at all.
 *
 * - open: runs a configuration. A change drains the senders, restarts the threads whose boot settings differ, and
 *   resumes dispatch; when a thread does not start, all go back to the configuration of before. Leaves to closed.
 * - closed: the senders are drained for good; a change under way rejects with shutting_down.
 *
 * Storage dispatches nothing while the senders are drained, so that deliveries do not go back and forth.
 */
export class Reload {
  #current: RunningConfig
  #state: 'open' | 'closed' = 'open'
  #dispatchSuspended = false
  #last: Promise<void> = Promise.resolve()
  readonly #supervisor: () => Supervisor
  readonly #log: Log
  readonly #runs: (thread: string) => boolean

  constructor(current: RunningConfig, { supervisor, log, runs }: ReloadDeps) {
    this.#current = current
    this.#supervisor = supervisor
    this.#log = log
    this.#runs = runs
  }

  get current(): RunningConfig {
    return this.#current
  }

  /**
   * Runs after earlier changes. Rejects with template_invalid, shutting_down or the error of a thread's start; then
   * everything runs as before.
   */
  change(next: RunningConfig): Promise<void> {
    const changed = this.#last.then(() => this.#change(next))
    this.#last = changed.catch(() => {})
    return changed
  }

  /** Drains the senders for good; gives up a change that is under way. */
  async close(): Promise<void> {
    this.#state = 'closed'
    await this.#drainSenders()
  }

  /** Suspends dispatch on a store thread that was started during a change: its predecessor knew, it does not. */
  threadUp(name: string): void {
    if (name === 'store' && this.#dispatchSuspended) void this.#askStorage({ kind: 'hold' })
  }

  async #change(next: RunningConfig): Promise<void> {
    const before = this.#current
    if (this.#state === 'closed') throw new CodedError('shutting_down')
    await checkTemplates(next.settings)
    await this.#drainSenders().catch((error) =>
      this.#log.warn({ error: errorText(error) }, 'the senders did not finish in time; what they held is sent again'),
    )
    try {
      await this.#run(before, next)
    } catch (error) {
      if (this.#state === 'open') await this.#rollBack(next, before)
      throw error
    } finally {
      if (this.#state === 'open') await this.#resumeDispatch()
    }
  }

  /** When this fails as well, the supervisor goes on trying to start the thread. */
  async #rollBack(next: RunningConfig, before: RunningConfig): Promise<void> {
    try {
      await this.#run(next, before)
    } catch (error) {
      this.#log.error(
        { error: errorText(error) },
        'after a refused reload a thread does not start with the old settings; it is tried again',
      )
    }
  }

  async #run(before: RunningConfig, next: RunningConfig): Promise<void> {
    this.#current = next
    if (!sameStoreBoot(before, next)) await this.#restart('store', STORE_STOP_MS)
    await this.#restart('send', SEND_STOP_MS)
    if (next.settings.agent.enable && !sameAgentBoot(before, next)) await this.#restart('agent', AGENT_STOP_MS)
    const log = { level: next.settings.log.level, secrets: next.secrets }
    await this.#askStorage({ kind: 'log', ...log })
    // A journal thread that does not answer is started again with these settings.
    const { askJournal } = createAsks(this.#supervisor(), ASK_MS)
    await askJournal({ kind: 'settings', quota: quotaOf(next.settings), log }).catch(() => {})
  }

  async #restart(name: Boot['thread'], deadlineMs: number): Promise<void> {
    const supervisor = this.#supervisor()
    await supervisor
      .stop(name, deadlineMs)
      .catch((error) =>
        this.#log.warn({ thread: name, error: errorText(error) }, 'a thread did not stop in time and was ended'),
      )
    // A shutdown that came in between takes the thread for stopped.
    if (this.#state === 'closed') throw new CodedError('shutting_down')
    // The stop has ended the worker that waited for a take-over.
    if (!this.#runs(name)) return supervisor.prepare(name)
    await supervisor.replace(name, deadlineMs).catch((error) => {
      // Another replica has taken the lease meanwhile, and the thread was ended for that.
      if (this.#runs(name)) throw error
    })
  }

  /** Suspends dispatch, then stops the send thread: its senders finish what is on the wire and release the rest. */
  async #drainSenders(): Promise<void> {
    this.#dispatchSuspended = true
    await this.#askStorage({ kind: 'hold' })
    await this.#supervisor().stop('send', SEND_STOP_MS)
  }

  async #resumeDispatch(): Promise<void> {
    this.#dispatchSuspended = false
    await this.#askStorage({ kind: 'release' })
  }

  /** Ignores a failure: a store thread that does not answer is hung or gone, and `threadUp` tells the next one. */
  async #askStorage(query: StorageQuery): Promise<void> {
    const { askStorage } = createAsks(this.#supervisor(), ASK_MS)
    await askStorage(query).catch(() => {})
  }
}

/** Compiles all templates. Rejects with `template_invalid`. */
export async function checkTemplates(settings: SystemSettings): Promise<void> {
  const [{ check }, { loadTemplates }] = await Promise.all([
    import('../../src/render/templates/compile.ts'),
    import('../../src/render/templates/load.ts'),
  ])
  await loadTemplates(templateSpecs(settings), ({ source }) => check(source))
}
