import type { JsonFile } from '../../files/json-file.ts'
import { isoTime } from '../../text/iso-time.ts'
import type { StoredCatalog } from '../contract.ts'
import { asFields } from '../fields.ts'
import type { Cursor } from '../sources/contract.ts'

export type Cursors = { readonly [source: string]: Cursor }

/** Content of patterns.json: patterns, cursors and the incident outbox, all of the same moment. */
interface Catalog {
  readonly snapshot: StoredCatalog
  /** Position of each source: the snapshot counts exactly the lines before it. */
  readonly cursors: Cursors
  /** Content of the incident outbox: findings that ingest has not confirmed. */
  readonly raising: readonly unknown[]
}

type LoadedCatalog = Omit<Catalog, 'snapshot'> & { readonly stored: StoredCatalog }

const VERSION = 1

/** Reads and writes patterns.json, of this version or an earlier one. Unknown fields are kept. */
export class CatalogFile {
  readonly #file: JsonFile
  #rest: { readonly [field: string]: unknown } = {}
  #version = VERSION

  constructor(file: JsonFile) {
    this.#file = file
  }

  /** Throws storage_down when the file cannot be read. */
  load(): LoadedCatalog {
    const { version, updated_at: _at, patterns, services, cursors, raising, ...rest } = this.#file.load() ?? {}
    this.#rest = rest
    this.#version = typeof version === 'number' ? Math.max(VERSION, version) : VERSION
    return {
      stored: { patterns: asFields(patterns) ?? {}, services: asFields(services) ?? {} },
      cursors: cursorsIn(cursors),
      raising: Array.isArray(raising) ? raising : [],
    }
  }

  /**
   * Writes the file; durable when it returns. Throws storage_full, storage_down.
   * @param now epoch milliseconds
   */
  save({ snapshot, cursors, raising }: Catalog, now: number): void {
    const updated_at = isoTime(now)
    this.#file.save({ ...this.#rest, version: this.#version, updated_at, ...snapshot, cursors, raising })
  }
}

/** Returns the cursors of a stored object. Entries that are not objects are left out. */
function cursorsIn(value: unknown): Cursors {
  const entries = Object.entries(asFields(value) ?? {}).filter(([, cursor]) => asFields(cursor))
  return Object.fromEntries(entries) as Cursors
}
