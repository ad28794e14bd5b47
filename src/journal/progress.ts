/**
 * Progress of journal and storage in shared memory, so that a commit asks nobody. Each field has one writer; numbers
 * are whole and below 2^53.
 *
 * - committed: number of the last incident that is durable in the journal, as far as this process knows; written by the
 *   journal thread
 * - keyed: no incident above it and up to `committed` is in a frame with idempotency keys; written by the journal thread,
 *   before `committed`
 * - applied: number of the last incident that this process's storage has applied, visible to queries; written by the
 *   store thread, -1 until it has opened the database; main sets it to -1 again when the store thread was ended for good
 * - released: number of the last incident whose rows are durable in the database: the journal may forget it; written by
 *   the store thread
 * - backlog: pending and leased dispatches in the database; written by the store thread, before `applied`
 * - leaderApplied, leaderBacklog: the same of the replica that leads, as this process read it last from the database that
 *   the replicas share; written by the journal thread, backlog first; -1 and 0 until then, and always with files
 *
 * So on a replica that leads, `applied` and `backlog` are its own; on any other they are up to half a second old.
 */
export type Progress = Pick<SharedProgress, 'committed' | 'keyed' | 'applied' | 'released' | 'backlog'>

const FIELDS = ['committed', 'keyed', 'applied', 'released', 'backlog', 'leaderApplied', 'leaderBacklog'] as const
type Field = (typeof FIELDS)[number]
const KEEP_ALIVE_MS = 60_000

/** Returns the memory for `SharedProgress`, to be shared by the threads. */
export function createProgressMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(FIELDS.length * BigInt64Array.BYTES_PER_ELEMENT)
  const numbers = new BigInt64Array(memory)
  for (const field of ['applied', 'leaderApplied'] as const) numbers[FIELDS.indexOf(field)] = -1n
  return memory
}

export class SharedProgress {
  readonly #numbers: BigInt64Array

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new BigInt64Array(memory)
  }

  get committed(): number {
    return this.#load('committed')
  }
  get keyed(): number {
    return this.#load('keyed')
  }
  /** Like `backlog` that of the leader while no store thread of this process has the database open. */
  get applied(): number {
    return this.#load(this.storeIsOpen ? 'applied' : 'leaderApplied')
  }
  get released(): number {
    return this.#load('released')
  }
  get backlog(): number {
    return this.#load(this.storeIsOpen ? 'backlog' : 'leaderBacklog')
  }
  /** A store thread of this process has opened the database. */
  get storeIsOpen(): boolean {
    return this.#load('applied') >= 0
  }

  /** Called by the journal thread when a group of frames is durable. `keyed`: undefined when it is as before. */
  setCommitted(number: number, keyed?: number): void {
    if (keyed !== undefined) this.#store('keyed', keyed)
    this.#store('committed', number)
  }

  /** Called by the store thread after each transaction. The order matters: a reader may count a dispatch twice, never not at all. */
  setApplied({ applied, released, backlog }: Pick<Progress, 'applied' | 'released' | 'backlog'>): void {
    this.#store('backlog', backlog)
    this.#store('released', released)
    this.#store('applied', applied)
    Atomics.notify(this.#numbers, FIELDS.indexOf('applied'))
  }

  /** Called by main when the store thread was ended and none follows, because another replica leads. */
  storeClosed(): void {
    this.#store('applied', -1)
  }

  /** Called by the journal thread when it has read them. */
  setLeaderProgress({ applied, backlog }: Pick<Progress, 'applied' | 'backlog'>): void {
    this.#store('leaderBacklog', backlog)
    this.#store('leaderApplied', applied)
  }

  /** Resolves when storage has opened the database; `applied` and `released` hold then. */
  async opened(): Promise<void> {
    // Waiting for memory does not keep a thread from ending.
    const alive = setInterval(() => {}, KEEP_ALIVE_MS)
    while (!this.storeIsOpen) {
      const waited = Atomics.waitAsync(this.#numbers, FIELDS.indexOf('applied'), -1n)
      if (waited.async) await waited.value
    }
    clearInterval(alive)
  }

  #load(field: Field): number {
    return Number(Atomics.load(this.#numbers, FIELDS.indexOf(field)))
  }
  #store(field: Field, number: number): void {
    Atomics.store(this.#numbers, FIELDS.indexOf(field), BigInt(number))
  }
}
