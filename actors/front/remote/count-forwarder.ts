import type { ErrorCode } from '../../../src/domain/errors.ts'
import type { Source } from '../../../src/domain/incident.ts'
import type { Ref } from '../../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'
import type { CountsReport, FrontRequestMail } from '../../messages/front-main.ts'
import type { IngestCounts } from '../ingest.ts'

interface PendingCounts {
  readonly batches: { readonly incidents: number; readonly ms: number }[]
  readonly accepted: { [source in Source]?: number }
  duplicates: number
  warned: number
  readonly refused: { [code in ErrorCode]?: number }
}

/** Batches that may wait for room; those beyond are missing from the histograms. */
const MAX_BATCHES = 1_024

/** Forwards the counts of a front to main, once a turn: main's meters are those of all fronts. */
export class CountForwarder implements IngestCounts {
  readonly #main: Ref<FrontRequestMail>
  readonly #scheduler: TurnScheduler
  #pending = noCounts()
  #flushScheduled = false

  constructor(main: Ref<FrontRequestMail>, scheduler: TurnScheduler) {
    this.#main = main
    this.#scheduler = scheduler
  }

  batch(incidents: number, ms: number): void {
    if (this.#pending.batches.length < MAX_BATCHES) this.#pending.batches.push({ incidents, ms })
    this.#scheduleFlush()
  }

  accepted(source: Source, incidents: number): void {
    this.#pending.accepted[source] = (this.#pending.accepted[source] ?? 0) + incidents
    this.#scheduleFlush()
  }

  duplicate(): void {
    this.#pending.duplicates++
    this.#scheduleFlush()
  }

  warned(): void {
    this.#pending.warned++
    this.#scheduleFlush()
  }

  refused(code: ErrorCode): void {
    this.#pending.refused[code] = (this.#pending.refused[code] ?? 0) + 1
    this.#scheduleFlush()
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    this.#scheduler.flushLink(() => this.#flush())
  }

  #flush(): void {
    if (!this.#main.tell({ kind: 'counted', ...this.#pending } satisfies CountsReport))
      return this.#main.whenRoom(() => this.#flush())
    this.#pending = noCounts()
    this.#flushScheduled = false
  }
}

const noCounts = (): PendingCounts => ({ batches: [], accepted: {}, duplicates: 0, warned: 0, refused: {} })
