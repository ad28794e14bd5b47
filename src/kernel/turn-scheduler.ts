import { callSafely } from './waiters.ts'

/**
 * Runs one pass in each event-loop turn: first the actors that have mail, then the links that have something to post.
 * An actor therefore gets the mail of a turn as one batch, and all it sends leaves as one message for each link. A
 * callback that throws does not stop the others.
 *
 * - idle: no pass is scheduled; leaves to scheduled
 * - scheduled: a pass runs at the end of this turn; leaves to running actors
 * - running actors: actors run; leaves to idle before the links are flushed
 */
export class TurnScheduler {
  #actors: (() => void)[] = []
  #links: (() => void)[] = []
  #state: 'idle' | 'scheduled' | 'running actors' = 'idle'
  readonly #schedule: (pass: () => void) => void

  constructor(schedule: (pass: () => void) => void = setImmediate) {
    this.#schedule = schedule
  }

  /**
   * Runs `run` in the next pass. During a pass that is the next turn's, so that an actor with endless mail does not
   * starve sockets.
   */
  runActor(run: () => void): void {
    this.#actors.push(run)
    this.#schedulePass()
  }

  /** Runs `flush` after the actors of the next pass; called by an actor, at the end of the same pass. */
  flushLink(flush: () => void): void {
    this.#links.push(flush)
    this.#schedulePass()
  }

  /** Flushes the links at once, for a caller whose batch is large enough. Actors do not run. */
  flushLinks(): void {
    const links = this.#links
    this.#links = []
    for (const flush of links) callSafely(flush)
  }

  #schedulePass(): void {
    if (this.#state !== 'idle') return
    this.#state = 'scheduled'
    this.#schedule(() => this.#pass())
  }

  #pass(): void {
    if (this.#state !== 'scheduled') return
    this.#state = 'running actors'
    const actors = this.#actors
    this.#actors = []
    for (const run of actors) callSafely(run)
    this.#state = 'idle'
    this.flushLinks()
    if (this.#actors.length > 0) this.#schedulePass()
  }
}
