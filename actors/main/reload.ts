import { CodedError } from '../../src/domain/errors.ts'
import type { Supervisor } from '../../src/kernel/supervisor.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { errorText } from '../../src/text/error-text.ts'
import type { StorageQuery } from '../messages/storage-queries.ts'
import { type RunningConfig, sameAgentBoot, sameStoreBoot, templateSpecs } from '../wiring/boot.ts'
import type { Boot } from '../wiring/settings.ts'
import { createAskStorage } from './ask.ts'

/** Longer than senders take to end what they have on the wire, and short enough to leave the front and the store their part of a shutdown. */
const SEND_STOP_MS = 5_500
const STORE_STOP_MS = 8_000
const AGENT_STOP_MS = 3_000
const ASK_MS = 1_000

/**
 * What the threads run with, and its changes: one at a time, whole or not at all. Storage hands nothing out while the senders are drained, so
 * that nothing goes back and forth.
 */
export class Reload {
  #current: RunningConfig
  #state: 'open' | 'closed' = 'open'
  #dispatchSuspended = false
  #last: Promise<void> = Promise.resolve()
  readonly #supervisor: () => Supervisor
  readonly #log: Log

  /** `supervisor` is asked for when there is something to do: it starts its threads with what is current here. */
  constructor(current: RunningConfig, supervisor: () => Supervisor, log: Log) {
    this.#current = current
    this.#supervisor = supervisor
    this.#log = log
  }

  get current(): RunningConfig {
    return this.#current
  }

  /** After those that were asked for before. When it rejects, everything runs as it did. */
  change(next: RunningConfig): Promise<void> {
    const changed = this.#last.then(() => this.#change(next))
    this.#last = changed.catch(() => {})
    return changed
  }

  /** Ends the senders for good; a change that is under way is given up. */
  async close(): Promise<void> {
    this.#state = 'closed'
    await this.#drainSenders()
  }

  /** A store that has just been started knows nothing of what its predecessor was told. */
  threadUp(name: string): void {
    if (name === 'store' && this.#dispatchSuspended) void this.#askStorage({ kind: 'hold' })
  }

  async #change(next: RunningConfig): Promise<void> {
    const before = this.#current
    if (this.#state === 'closed') throw new CodedError('shutting_down')
    const { loadTemplates } = await import('../../src/render/templates/load.ts')
    loadTemplates(templateSpecs(next.settings))
    await this.#drainSenders().catch((error) =>
      this.#log.warn({ error: errorText(error) }, 'the senders did not end in good order'),
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

  /** When even what ran before cannot start now, the supervisor goes on trying it. */
  async #rollBack(next: RunningConfig, before: RunningConfig): Promise<void> {
    try {
      await this.#run(next, before)
    } catch (error) {
      this.#log.error({ error: errorText(error) }, 'after a refused reload a thread does not start; it is tried again')
    }
  }

  async #run(before: RunningConfig, next: RunningConfig): Promise<void> {
    this.#current = next
    if (!sameStoreBoot(before, next)) await this.#restart('store', STORE_STOP_MS)
    await this.#restart('send', SEND_STOP_MS)
    if (next.settings.agent.enable && !sameAgentBoot(before, next)) await this.#restart('agent', AGENT_STOP_MS)
    const { level } = next.settings.log
    await this.#askStorage({ kind: 'log', level, secrets: next.secrets })
  }

  async #restart(name: Boot['thread'], deadlineMs: number): Promise<void> {
    const supervisor = this.#supervisor()
    await supervisor
      .stop(name, deadlineMs)
      .catch((error) => this.#log.warn({ thread: name, error: errorText(error) }, 'a thread did not end in good order'))
    // A shutdown that came meanwhile believes the thread stopped.
    if (this.#state === 'closed') throw new CodedError('shutting_down')
    await supervisor.replace(name, deadlineMs)
  }

  /** Storage keeps what falls due, the senders finish what they have begun and give back the rest. */
  async #drainSenders(): Promise<void> {
    this.#dispatchSuspended = true
    await this.#askStorage({ kind: 'hold' })
    await this.#supervisor().stop('send', SEND_STOP_MS)
  }

  async #resumeDispatch(): Promise<void> {
    this.#dispatchSuspended = false
    await this.#askStorage({ kind: 'release' })
  }

  /** A store that does not hear it is hung or gone; the next one is told by `threadUp`. */
  async #askStorage(query: StorageQuery): Promise<void> {
    const ask = createAskStorage(this.#supervisor(), ASK_MS)
    await ask(query).catch(() => {})
  }
}
