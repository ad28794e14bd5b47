import type { FramePlace } from './frame-place.ts'

const INITIAL = 1_024

/** Frames in order of their numbers; 16 bytes for each. */
export class FrameIndex {
  #firsts = new Float64Array(INITIAL)
  #segments = new Uint32Array(INITIAL)
  #offsets = new Uint32Array(INITIAL)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** Adds a frame behind all others. */
  push({ first, segment, offset }: Pick<FramePlace, 'first' | 'segment' | 'offset'>): void {
    if (this.#end === this.#firsts.length) this.#makeRoom()
    this.#firsts[this.#end] = first
    this.#segments[this.#end] = segment
    this.#offsets[this.#end] = offset
    this.#end++
  }

  /** Returns the place of the last frame that begins at or below `number`. */
  find(number: number): { readonly segment: number; readonly offset: number } | undefined {
    const at = this.#lastUpTo(number)
    if (at < this.#start) return undefined
    return { segment: this.#segments[at] as number, offset: this.#offsets[at] as number }
  }

  /** Forgets the frames whose incidents are all up to `released`, except the newest frame. */
  release(released: number): void {
    this.#start = Math.max(this.#start, this.#lastUpTo(released + 1))
  }

  #lastUpTo(number: number): number {
    let low = this.#start
    let high = this.#end
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#firsts[middle] as number) <= number) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  /** Moves all to the front; doubles the memory when more than half of it is in use. */
  #makeRoom(): void {
    const { length } = this
    const capacity = length * 2 > this.#firsts.length ? this.#firsts.length * 2 : this.#firsts.length
    const moved = <A extends Float64Array | Uint32Array>(from: A, to: A): A => {
      to.set(from.subarray(this.#start, this.#end))
      return to
    }
    this.#firsts = moved(this.#firsts, new Float64Array(capacity))
    this.#segments = moved(this.#segments, new Uint32Array(capacity))
    this.#offsets = moved(this.#offsets, new Uint32Array(capacity))
    this.#start = 0
    this.#end = length
  }
}
