/** A part of memory beside the counts that ends with the transaction, as the disk does. */
interface Cache {
  commit?(): void
  rollback(): void
}

/** The caches of one store; each adds itself. */
export type Caches = Cache[]

/** Makes a map in memory whose changes a rollback takes back. */
export function openUndoMap<Key, Value>(caches: Caches) {
  const map = new Map<Key, Value>()
  /** Values before the changes of this transaction, in order. */
  const before: { readonly key: Key; readonly value: Value | undefined }[] = []

  function put(key: Key, value: Value | undefined): void {
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }

  caches.push({
    commit() {
      before.length = 0
    },
    rollback() {
      for (const { key, value } of before.reverse()) put(key, value)
      before.length = 0
    },
  })
  return {
    get: (key: Key): Value | undefined => map.get(key),
    /** `value` undefined: the map does not have it any more. */
    set(key: Key, value: Value | undefined): void {
      before.push({ key, value: map.get(key) })
      put(key, value)
    },
    /** Entries; they may be changed meanwhile. */
    entries: (): Iterable<[Key, Value]> => map,
    size: (): number => map.size,
  }
}

/** A row that is not written. `disk`: as the disk has it; undefined: it is a new one. */
interface Unwritten<Row> {
  readonly row: Row
  readonly disk: Row | undefined
}

interface OverlayOptions<Key, Row> {
  /** Reads a row from the disk. */
  read(key: Key): Row | undefined
  /** Written rows that memory keeps, at least: those used last. It keeps twice as many at most. */
  readonly max: number
}

/**
 * Rows in memory over those on the disk. A read looks into what is not written, then into memory, then on the disk. Rows
 * that a transaction changed may stay unwritten beyond its commit: these are kept without a bound. A rollback brings them
 * back as they were before it, and forgets all others. Rows that are not written are never changed in place.
 */
export function openOverlay<Key extends {}, Row extends {}>(caches: Caches, { read, max }: OverlayOptions<Key, Row>) {
  const unwritten = openUndoMap<Key, Unwritten<Row>>(caches)
  /** As the disk has them; those that were not used since the last exchange are in `older`. */
  let [written, older] = [new Map<Key, Row>(), new Map<Key, Row>()]

  function keep(key: Key, row: Row): void {
    if (written.size >= max) [written, older] = [new Map(), written]
    written.set(key, row)
  }

  function onDisk(key: Key): Row | undefined {
    const known = written.get(key)
    if (known !== undefined) return known
    const row = older.get(key) ?? read(key)
    if (row !== undefined) keep(key, row)
    return row
  }

  function drop(key: Key): void {
    written.delete(key)
    older.delete(key)
  }

  function forget(): void {
    written.clear()
    older.clear()
  }

  caches.push({ rollback: forget })
  return {
    find: (key: Key): Row | undefined => unwritten.get(key)?.row ?? onDisk(key),
    /** Memory has the row: `find` reads nothing. */
    has: (key: Key): boolean => unwritten.get(key) !== undefined || written.has(key) || older.has(key),
    /** Adds a row that the disk does not have. */
    add: (key: Key, row: Row): void => unwritten.set(key, { row, disk: undefined }),
    /** Changes a row that `find` returned. */
    set(key: Key, row: Row): void {
      const known = unwritten.get(key)
      unwritten.set(key, { row, disk: known === undefined ? onDisk(key) : known.disk })
    },
    /** Keeps a row that was read from the disk. */
    keep,
    /** The row was deleted from the disk. */
    deleted(key: Key): void {
      unwritten.set(key, undefined)
      drop(key)
    },
    /** Returns the number of rows that are not written. */
    changed: unwritten.size,
    /** Writes each row that is not written, once. `disk`: as the disk has it; undefined: it is a new one. */
    flush(write: (row: Row, disk: Row | undefined) => void): void {
      for (const [key, { row, disk }] of unwritten.entries()) {
        write(row, disk)
        unwritten.set(key, undefined)
        older.delete(key)
        keep(key, row)
      }
    },
    /** Rows were changed on the disk by other means, after `flush`. */
    forget,
  }
}
