import type { Cluster } from '../../../src/cluster/contract.ts'
import type { SharedProgress } from '../../../src/journal/progress.ts'
import type { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import { errorText } from '../../../src/text/error-text.ts'

/** Threads of the replica that leads, first to last; the others run on every replica. */
const OF_LEADER: readonly string[] = ['store', 'send', 'agent']

/** Returns whether a thread runs on every replica. */
export const isOfAll = (thread: string): boolean => !OF_LEADER.includes(thread)

export interface RolesDeps {
  readonly member: Pick<Cluster, 'watch'> & {
    /** The term in which this replica leads; undefined when it does not lead. */
    readonly term: number | undefined
  }
  readonly supervisor: Pick<Supervisor, 'states' | 'replace' | 'stop' | 'prepare'>
  readonly log: Log
  readonly progress: Pick<SharedProgress, 'storeClosed'>
}

/** A thread that is terminated at once has nothing to finish: another replica goes on with its work. */
const AT_ONCE_MS = 0
const REPLACE_MS = 1_000

/**
 * Starts the threads of the leader when this replica takes the lease, and terminates them when it loses it.
 *
 * - following: they do not run; spare workers with their code loaded wait, because a take-over is a time without messages. Leaves to leading with a term.
 * - leading: they run. Leaves to following; also when the term is another, to lead again.
 * - closed: for good; the shutdown stops the threads.
 */
export class Roles {
  readonly #deps: RolesDeps
  #state: 'following' | 'leading' | 'closed' = 'following'
  #term: number | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(deps: RolesDeps) {
    this.#deps = deps
  }

  /** Returns whether a thread runs on every replica. */
  readonly isOfAll = isOfAll

  /** Follows the lease from now on. */
  start(): void {
    this.#deps.member.watch(() => this.#update())
    this.#update()
    if (this.#term === undefined) this.#prepare()
  }

  /** Returns whether the thread runs on this replica now. */
  runs(thread: string): boolean {
    return this.#state === 'leading' || isOfAll(thread)
  }

  close(): void {
    this.#state = 'closed'
  }

  #update(): void {
    const { term } = this.#deps.member
    if (this.#state === 'closed' || term === this.#term) return
    const before = this.#term
    this.#term = term
    if (before !== undefined) {
      this.#state = 'following'
      this.#deps.log.warn({ term: before }, 'another replica leads')
      // At once: a start that is under way ends with it.
      const ended = this.#terminate()
      this.#last = Promise.all([this.#last, ended]).then(() => {
        this.#deps.progress.storeClosed()
        this.#prepare()
      })
    }
    if (term !== undefined) this.#last = this.#last.then(() => this.#lead(term))
  }

  async #terminate(): Promise<void> {
    await Promise.allSettled(this.#threads().map((name) => this.#deps.supervisor.stop(name, AT_ONCE_MS)))
  }

  #prepare(): void {
    if (this.#state === 'following') for (const name of this.#threads()) this.#deps.supervisor.prepare(name)
  }

  /** Returns those of the leader's threads that the configuration has, first to last. */
  #threads(): readonly string[] {
    const known = new Set(this.#deps.supervisor.states().map(({ name }) => name))
    return OF_LEADER.filter((name) => known.has(name))
  }

  /** Starts them together; a thread that does not start is tried again by the supervisor. */
  async #lead(term: number): Promise<void> {
    const { supervisor, log } = this.#deps
    if (this.#state === 'closed' || this.#term !== term) return
    this.#state = 'leading'
    log.info({ term }, 'this replica leads')
    const starts = this.#threads().map((name) =>
      supervisor.replace(name, REPLACE_MS).catch((error) => {
        if (this.#term === term && this.#state === 'leading')
          log.error(
            { thread: name, error: errorText(error) },
            'a thread of the leader does not start; it is tried again',
          )
      }),
    )
    await Promise.all(starts)
  }
}
