import type { StoreContext } from '../engine/context.ts'

interface Range {
  readonly first: number
  readonly last: number
}

interface PayloadBatch extends Range {
  readonly bytes: Uint8Array
}

/** Columns of `incidents`: number, and position of the payload within its batch. */
export interface PayloadSlice {
  readonly seq: number
  readonly content_start: number
  readonly content_bytes: number
}

export const PAYLOAD_SLICE = 'content_start, content_bytes'

const NONE: PayloadBatch = { first: 0, last: -1, bytes: new Uint8Array(0) }

/**
 * Payloads, byte for byte as they arrived. One row holds the payloads of a batch; incidents hold the position of
 * theirs. Rows never change. `write` inside that of the store.
 */
export type Payloads = ReturnType<typeof openPayloads>

export function openPayloads({ db, caches }: Pick<StoreContext, 'db' | 'caches'>) {
  const insert = db.command('INSERT INTO contents (first, last, bytes) VALUES (?, ?, ?)')
  const find = db.query<PayloadBatch>(
    'SELECT first, last, bytes FROM contents WHERE first <= ? ORDER BY first DESC LIMIT 1',
  )
  /** The last batch that was read: neighbours are often read in turn. */
  let cached = NONE
  // Numbers of an undone transaction are given to other incidents.
  caches.push({
    rollback() {
      cached = NONE
    },
  })

  /** Returns the batch that holds the incident; an empty one when no batch does. */
  function batchOf(seq: number): PayloadBatch {
    if (seq < cached.first || seq > cached.last) cached = find.get(seq) ?? NONE
    return seq <= cached.last ? cached : NONE
  }
  return {
    /** Stores the payloads of the incidents `first` to `last`. */
    write: ({ first, last }: Range, bytes: Uint8Array): void => void insert.run(first, last, bytes),
    /** Returns a view of the batch, not a copy. */
    of: ({ seq, content_start, content_bytes }: PayloadSlice): Uint8Array =>
      batchOf(seq).bytes.subarray(content_start, content_start + content_bytes),
  }
}
