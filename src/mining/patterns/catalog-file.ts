import type { JsonFile } from '../../files/contract.ts'
import type { CatalogSnapshot, StoredCatalog } from '../contract.ts'
import { asFields } from '../fields.ts'
import type { Cursor } from '../sources/contract.ts'

export type Cursors = { readonly [source: string]: Cursor }

/** What patterns.json holds: what was learned, from which lines, and what of it has still to be raised. All of one moment. */
interface Catalog {
  readonly snapshot: CatalogSnapshot
  /** Where each source goes on: the lines before are counted in the snapshot, those after are not. */
  readonly cursors: Cursors
  /** Raised when the service was last up, without word that they arrived. */
  readonly raising: readonly unknown[]
}

interface LoadedCatalog {
  readonly stored: StoredCatalog
  readonly cursors: Cursors
  readonly raising: readonly unknown[]
}

const VERSION = 1

/** patterns.json, of this version or an earlier one; fields that are not ours survive. */
export class CatalogFile {
  readonly #file: JsonFile
  #rest: { readonly [field: string]: unknown } = {}
  #version = VERSION

  constructor(file: JsonFile) {
    this.#file = file
  }

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

  /** Durable when it returns; throws a CodedError of the disk. @param now epoch milliseconds */
  save({ snapshot, cursors, raising }: Catalog, now: number): void {
    const updated_at = new Date(now).toISOString()
    this.#file.save({ ...this.#rest, version: this.#version, updated_at, ...snapshot, cursors, raising })
  }
}

/** Entries that are no cursor are left out. */
function cursorsIn(value: unknown): Cursors {
  const entries = Object.entries(asFields(value) ?? {}).filter(([, cursor]) => asFields(cursor))
  return Object.fromEntries(entries) as Cursors
}
