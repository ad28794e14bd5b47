const BYTES = 512 * 1024

/**
 * Numbers that one thread writes and another reads without asking: they outlive the thread that counts, and a hung one cannot hide them.
 * Stretches are taken in order, so that whoever builds the same things over the same buffer finds each at its place. A reader may see one
 * number a moment before another; single numbers are whole, being aligned.
 */
export class SharedNumbers {
  readonly buffer: SharedArrayBuffer
  #allocatedBytes = 0

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.buffer = buffer
  }

  /** Throws RangeError when the buffer is used up. */
  allocate(length: number): Float64Array {
    const stretch = new Float64Array(this.buffer, this.#allocatedBytes, length)
    this.#allocatedBytes += stretch.byteLength
    return stretch
  }
}
