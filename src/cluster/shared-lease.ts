/**
 * What the threads of a replica know of its place in the cluster, in shared memory, so that a send asks nobody. Main
 * writes all of it at each beat. Times are in microseconds, so that they are whole numbers.
 *
 * - leadsUntil: monotonic time until which the replica may begin sends; 0 when it does not lead
 * - term: grows with every take of the lease; 0 before the first
 * - epoch: time of day of the database's clock when this machine started
 */
const FIELDS = ['leadsUntil', 'term', 'epoch'] as const
type Field = (typeof FIELDS)[number]

/** Returns the memory for `SharedLease`, to be shared by the threads. */
export function createLeaseMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT)
}

/** The right to send. */
export interface Lease {
  /** Returns whether a send may begin now. A process that was stopped finds its time past. */
  holds(): boolean
  readonly term: number
}

export class SharedLease implements Lease {
  readonly #numbers: BigInt64Array
  readonly #elapsed: () => number

  /** @param elapsed monotonic milliseconds, equal on all threads, that go on while the process is stopped */
  constructor(memory: SharedArrayBuffer, elapsed: () => number) {
    this.#numbers = new BigInt64Array(memory)
    this.#elapsed = elapsed
  }

  holds(): boolean {
    return this.#elapsed() < this.leadsUntilMs
  }

  get leadsUntilMs(): number {
    return this.#load('leadsUntil') / 1_000
  }

  get term(): number {
    return this.#load('term')
  }

  /** Epoch milliseconds of the database's clock, which goes on between beats as this machine's monotonic clock. */
  now(): number {
    return Math.floor(this.#load('epoch') / 1_000 + this.#elapsed())
  }

  /** @param untilMs 0: leads no longer */
  lead(untilMs: number, term: number): void {
    this.#store('term', term)
    this.#store('leadsUntil', untilMs * 1_000)
  }

  /** @param epochMs time of day when `elapsed` was 0 */
  setEpoch(epochMs: number): void {
    this.#store('epoch', epochMs * 1_000)
  }

  #load(field: Field): number {
    return Number(Atomics.load(this.#numbers, FIELDS.indexOf(field)))
  }
  #store(field: Field, number: number): void {
    Atomics.store(this.#numbers, FIELDS.indexOf(field), BigInt(Math.round(number)))
  }
}
