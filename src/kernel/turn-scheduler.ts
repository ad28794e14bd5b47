import { callSafely } from './waiters.ts'

/**
 * One pass per event-loop turn over everything that wants to run: first the actors that have mail, then the links that have
 * something to post. So all that arrived in a turn is handled as one batch, and all it caused leaves as one message.
 * One that throws does not keep the others from running.
 */
export class TurnScheduler {
  #actors: (() => void)[] = []
  #links: (() => void)[] = []
  #state: 'idle' | 'scheduled' | 'running actors' = 'idle'
  readonly #schedule: (pass: () => void) => void

  constructor(schedule: (pass: () => void) => void = setImmediate) {
    this.#schedule = schedule
  }

  /** Called during a pass: runs in the next turn, so that an actor with endless mail cannot starve the sockets. */
  runActor(run: () => void): void {
    this.#actors.push(run)
    this.#schedulePass()
  }

  /** Called while a pass runs its actors: runs at the end of that same pass. */
  flushLink(flush: () => void): void {
    this.#links.push(flush)
    this.#schedulePass()
  }

  /** Runs what waits now rather than at the end of the turn, for whoever has enough for others to begin with; not from within a pass. */
  flushNow(): void {
    if (this.#state === 'scheduled') this.#pass()
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
    const links = this.#links
    this.#links = []
    this.#state = 'idle'
    for (const flush of links) callSafely(flush)
    if (this.#actors.length > 0) this.#schedulePass()
  }
}
