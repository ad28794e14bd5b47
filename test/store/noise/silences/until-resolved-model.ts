/**
 * A silence until resolved, by its definition. Problems keep it that fire and whose newest incident fits, and those that
 * did until their flap score is below 2; it ends when none has kept it for `quietMs`, and at `endsAt` by the wall clock.
 */
import { FLAP_HALF_LIFE_MS } from '../../../../src/policy/problem.ts'

const MINUTE = 60_000
/** A problem of the sender `custom` is over without an incident. */
const QUIET_END = 30 * MINUTE

interface One {
  fires: boolean
  fits: boolean
  score: number
  /** Of the score, by the wall clock. */
  at: number
  /** Moments, by a clock that is never set. */
  heardAt: number
  keeps: boolean
  /** Until its flap score is below 2, as of when it last ceased to fire or to fit. */
  flapsUntil: number
}

export class Model {
  /** A clock that is never set, and what the wall clock adds to it. */
  moment = 0
  readonly #problems = new Map<string, One>()
  #begun: { readonly at: number; readonly quietMs: number; readonly endsAt: number } | undefined
  offset: number

  constructor(wall: number) {
    this.offset = wall
  }

  get wall(): number {
    return this.moment + this.offset
  }

  /** Now, by the wall clock; `endsAt` too. */
  begin(quietMs: number, endsAt: number): void {
    this.#begun = { at: this.moment, quietMs, endsAt }
    for (const one of this.#problems.values()) Object.assign(one, { keeps: one.fires && one.fits, flapsUntil: 0 })
  }

  heard(name: string, fires: boolean, fits: boolean): void {
    const known = this.#problems.get(name)
    const one = known ?? { fires, fits, score: 0, at: this.wall, heardAt: 0, keeps: false, flapsUntil: 0 }
    this.#problems.set(name, one)
    one.heardAt = this.moment
    this.#becomes(one, fires, fits)
  }

  resolvedByPerson(name: string): void {
    const one = this.#problems.get(name)
    if (one !== undefined) this.#becomes(one, false, one.fits)
  }

  #becomes(one: One, fires: boolean, fits: boolean): void {
    if (one.fires !== fires) {
      one.score = Math.min(8, one.score * 2 ** (-Math.max(0, this.wall - one.at) / FLAP_HALF_LIFE_MS) + 1)
      one.at = this.wall
    }
    this.#keeps(Object.assign(one, { fires, fits }))
  }

  #keeps(one: One): void {
    if (one.keeps && !(one.fires && one.fits)) {
      const steadyAt = one.at + FLAP_HALF_LIFE_MS * Math.log2(Math.max(one.score, 2) / 2)
      const flapsFor = Math.ceil(Math.min(Math.max(0, steadyAt - this.wall), 2 * FLAP_HALF_LIFE_MS))
      one.flapsUntil = Math.max(one.flapsUntil, this.moment + flapsFor)
    }
    one.keeps = one.fires && one.fits
  }

  /** Moment at which it ends if nothing happens before. */
  get endsAt(): number {
    if (this.#begun === undefined) return Infinity
    const { at, quietMs, endsAt } = this.#begun
    const kept = [...this.#problems.values()].map(({ keeps, flapsUntil }) => (keeps ? Infinity : flapsUntil))
    return Math.min(Math.max(at, ...kept) + quietMs, endsAt - this.offset)
  }

  /** Moment at which the next problem is over without an incident. */
  get nextQuiet(): number {
    const firing = [...this.#problems.values()].filter(({ fires }) => fires)
    return Math.min(...firing.map(({ heardAt }) => heardAt + QUIET_END))
  }

  /** Goes on to a moment at which problems may be over. */
  goTo(moment: number): void {
    this.moment = moment
    for (const one of this.#problems.values())
      if (one.fires && one.heardAt + QUIET_END <= moment) this.#keeps(Object.assign(one, { fires: false }))
  }
}
