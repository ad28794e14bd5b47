/**
 * One pass per event-loop turn over everything that wants to run: first the actors that have mail, then the links that have
 * something to post. So all that arrived in a turn is handled as one batch, and all it caused leaves as one message.
 */
export class Turns {
  #actors: (() => void)[] = []
  #links: (() => void)[] = []
  #scheduled = false
  readonly #schedule: (pass: () => void) => void

  constructor(schedule: (pass: () => void) => void = setImmediate) {
    this.#schedule = schedule
  }

  /** Called during a pass: runs in the next turn, so that an actor with endless mail cannot starve the sockets. */
  runActor(run: () => void): void {
    this.#actors.push(run)
    this.#arm()
  }

  /** Called during a pass: runs at the end of that same pass. */
  flushLink(flush: () => void): void {
    this.#links.push(flush)
    this.#arm()
  }

  #arm(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#schedule(() => this.#pass())
  }

  #pass(): void {
    this.#scheduled = false
    const actors = this.#actors
    this.#actors = []
    for (const run of actors) run()
    const links = this.#links
    this.#links = []
    for (const flush of links) flush()
  }
}
