const BYTES = 512 * 1024

/**
 * Numbers in shared memory, which one thread writes and another reads without a message: they outlive the thread that
 * counts, and a thread that hangs cannot hide them. Both threads allocate the same numbers in the same order, so each
 * finds them at the same offset. Single numbers are read whole, because they are aligned; two of them may be of
 * different moments.
 */
export class SharedNumbers {
  readonly buffer: SharedArrayBuffer
  #allocatedBytes = 0

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.buffer = buffer
  }

  /** Throws RangeError when the buffer is full. */
  allocate(length: number): Float64Array {
    const numbers = new Float64Array(this.buffer, this.#allocatedBytes, length)
    this.#allocatedBytes += numbers.byteLength
    return numbers
  }
}
