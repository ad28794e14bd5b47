import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Source } from '../../../src/domain/incident.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { Turns } from '../../../src/kernel/turn-scheduler.ts'
import type { Counted, RelayMail } from '../../messages/front-main.ts'
import type { IngestCounts } from '../ingest.ts'

interface Tally {
  readonly batches: { readonly incidents: number; readonly ms: number }[]
  readonly accepted: { [source in Source]?: number }
  duplicates: number
  readonly refused: { [code in ErrorCode]?: number }
}

/** Batches whose figures may wait for room; those of more are not recorded. */
const MAX_BATCHES = 1_024

/** What a front counts, told to main once a turn: main's figures are those of all fronts. */
export class FrontCounts implements IngestCounts {
  readonly #main: Ref<RelayMail>
  readonly #turns: Turns
  #tally = nothing()
  #leaving = false

  constructor(main: Ref<RelayMail>, turns: Turns) {
    this.#main = main
    this.#turns = turns
  }

  batch(incidents: number, ms: number): void {
    if (this.#tally.batches.length < MAX_BATCHES) this.#tally.batches.push({ incidents, ms })
    this.#leaveLater()
  }

  accepted(source: Source, incidents: number): void {
    this.#tally.accepted[source] = (this.#tally.accepted[source] ?? 0) + incidents
    this.#leaveLater()
  }

  duplicate(): void {
    this.#tally.duplicates++
    this.#leaveLater()
  }

  refused(code: ErrorCode): void {
    this.#tally.refused[code] = (this.#tally.refused[code] ?? 0) + 1
    this.#leaveLater()
  }

  #leaveLater(): void {
    if (this.#leaving) return
    this.#leaving = true
    this.#turns.flushLink(() => this.#leave())
  }

  #leave(): void {
    if (!this.#main.tell({ kind: 'counted', ...this.#tally } satisfies Counted))
      return this.#main.whenRoom(() => this.#leave())
    this.#tally = nothing()
    this.#leaving = false
  }
}

const nothing = (): Tally => ({ batches: [], accepted: {}, duplicates: 0, refused: {} })
