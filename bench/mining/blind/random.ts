/** Numbers that are the same for the same seed (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least 0 and below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Both bounds are included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1))
  }

  /** Numbers of few digits are as frequent as those of many. */
  magnitude(from: number, to: number): number {
    return Math.round(Math.exp(Math.log(from) + this.fraction() * (Math.log(to) - Math.log(from))))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T
  }

  /** The nth of a list is drawn 1/n as often as the first. */
  zipf<T>(list: readonly T[]): T {
    const total = list.reduce((sum, _, at) => sum + 1 / (at + 1), 0)
    let left = this.fraction() * total
    const found = list.find((_, at) => {
      left -= 1 / (at + 1)
      return left < 0
    })
    return found ?? (list[0] as T)
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.integer(0, alphabet.length - 1)]).join('')
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((item) => ({ item, at: this.fraction() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
  }

  /** A count whose mean is `mean`, by inversion for small means and by the normal distribution for large ones. */
  poisson(mean: number): number {
    if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()))
    let left = this.fraction() / Math.exp(-mean)
    let term = 1
    let count = 0
    while (left > term) {
      left -= term
      count++
      term *= mean / count
    }
    return count
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.fraction())) * Math.cos(2 * Math.PI * this.fraction())
  }
}
