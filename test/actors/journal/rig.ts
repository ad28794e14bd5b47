import { createAnnounceAppended } from '../../../actors/journal/cell.ts'
import { type AnswersDue, journalActor, type PendingCommit } from '../../../actors/journal/journal.ts'
import { KeyLookups } from '../../../actors/journal/key-lookups.ts'
import { keysOfFrame } from '../../../actors/journal/plan.ts'
import { Quota } from '../../../actors/journal/quota.ts'
import { COMMIT_WINDOW, type Committed, type RequestResult } from '../../../actors/messages/ingest-journal.ts'
import { APPENDED_WINDOW, type Appended, LOOKUP_WINDOW, type Lookup } from '../../../actors/messages/journal-storage.ts'
import type { JournalMail } from '../../../actors/messages/mailboxes.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import type { Journal } from '../../../src/journal/contract.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../../src/kernel/ref.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { Disk } from '../../journal/disk.ts'
import { frameOf, inBackground, openOn } from '../../journal/support.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'

const LIMITS = { maxBacklog: 1_000, dispatchesPerIncident: 1 }

/** Number of the last lookup of an earlier journal thread. */
export const FIRST_LOOKUP = 7_000

/** The journal actor over a disk in memory, with a storage and a front that the test plays. */
export class Rig {
  readonly clock = new ManualClock()
  readonly progress = new SharedProgress(createProgressMemory())
  readonly disk: Disk
  readonly journal: Journal
  readonly reports: string[] = []
  /** Called by the actor when a group is on disk and answered. */
  appended = () => {}
  /** Called before an answer is sent. */
  answering = () => {}
  /** Messages to storage. */
  readonly announced = new Mailbox<Appended>({ capacity: APPENDED_WINDOW })
  readonly lookups = new Mailbox<Lookup>({ capacity: LOOKUP_WINDOW })
  readonly cell: Cell<JournalMail>
  readonly #answers = new Mailbox<Committed>({ capacity: COMMIT_WINDOW })
  readonly #manual = manualScheduler()
  #storageUp = true
  #lastBatch = 0

  constructor({ disk = new Disk(['/data']), limits = LIMITS, applied = 0 } = {}) {
    this.disk = disk
    this.progress.setApplied({ applied, released: applied, backlog: 0 })
    const { journal, keys: unapplied } = openOn(disk, applied)
    this.journal = journal
    this.progress.setCommitted(journal.nextNumber - 1)
    const keys = new KeyLookups<PendingCommit>({
      storage: nearRef('lookups', this.lookups, LOOKUP_WINDOW),
      unapplied,
      firstLookup: FIRST_LOOKUP,
      keysOf: ({ frame }) => keysOfFrame(frame),
    })
    const quota = new Quota(this.progress, limits)
    const answers: AnswersDue = new WeakMap()
    const announce = createAnnounceAppended(nearRef('storage', this.announced, APPENDED_WINDOW))
    const report = {
      failed: (_actor: string, error: unknown) => this.reports.push(`failed: ${error}`),
      deadLetter: (_actor: string, kind: string) => this.reports.push(`dead letter: ${kind}`),
    }
    this.cell = new Cell<JournalMail>(
      {
        name: 'journal',
        mailbox: { capacity: 1_000 },
        batch: 1_000,
        slots: 'held',
        build: () =>
          journalActor({
            journal,
            progress: this.progress,
            quota,
            keys,
            announce,
            replies: this.#replies(),
            clock: this.clock,
            answers,
            storageUp: () => this.#storageUp,
            diskRefused: ({ code }) => this.reports.push(`refused: ${code}`),
            diskRecovered: () => this.reports.push('recovered'),
            appended: () => this.appended(),
          }),
      },
      { clock: this.clock, scheduler: this.#manual.scheduler, report },
    )
  }

  #replies(): Ref<Committed> {
    const ref = nearRef('ingest', this.#answers, COMMIT_WINDOW)
    const { tell } = ref
    ref.tell = (...args) => {
      this.answering()
      return tell.apply(ref, args)
    }
    return ref
  }

  /** Sends batches that arrive in one turn; returns their numbers. */
  commit(...frames: readonly Uint8Array<ArrayBuffer>[]): number[] {
    const batches = frames.map((frame) => this.offer(frame))
    this.#manual.passAll()
    return batches
  }

  /** Sends a batch, which arrives in the next turn. */
  offer(frame: Uint8Array<ArrayBuffer>): number {
    const batch = ++this.#lastBatch
    this.cell.mailbox.offer({ kind: 'commit', front: 0, batch, frame })
    return batch
  }

  /** Commits a frame with a key that nobody has used. */
  commitKeyed(key: string): void {
    this.commit(keyed(key))
    this.found()
  }

  tell(mail: JournalMail): void {
    this.cell.mailbox.offer(mail)
    this.#manual.passAll()
  }

  pass(): void {
    this.#manual.passAll()
  }

  /** Waits for failures of the actor and the restarts after them. */
  async rebuilt(): Promise<void> {
    for (let round = 0; round < 5; round++) {
      this.clock.advance(5_000)
      await inBackground()
      this.pass()
    }
  }

  /** The thread of storage ends, or is up again. */
  storage(state: 'down' | 'up'): void {
    this.#storageUp = state === 'up'
    if (state === 'down') while (this.lookups.queued > 0) this.lookups.take(1).slots[0]?.free()
    this.tell({ kind: 'peer', up: this.#storageUp })
  }

  /** Answers the lookup under way with what `known` says. Returns the keys that were asked for. */
  found(known: { readonly [key: string]: string } | 'unreadable' = {}): readonly string[] {
    const { messages, slots } = this.lookups.take(1)
    const keys = messages[0]?.keys ?? []
    const ids = known === 'unreadable' ? undefined : keys.map((key) => known[key] ?? null)
    slots[0]?.free()
    const { lookup = 0 } = messages[0] ?? {}
    if (messages.length > 0) this.tell({ kind: 'found', lookup, ids })
    return keys
  }

  /** Storage has applied the incidents up to this number. */
  applied(number: number, backlog = 0): void {
    this.progress.setApplied({ applied: number, released: number, backlog })
  }

  /** The answers since the last call, by batch: an id or a code for each request. */
  answers(): ReadonlyMap<number, readonly string[]> {
    const { messages, slots } = this.#answers.take(COMMIT_WINDOW)
    for (const slot of slots) slot.free()
    return new Map(messages.map((answer) => [answer.batch, textsOf(answer)]))
  }

  /** The answers of one batch of requests with one incident each. */
  answerOf(batch: number | undefined): readonly string[] {
    return this.answers().get(batch ?? -1) ?? []
  }
}

/** `created` stands for a batch of which all requests are created. */
function textsOf({ first, idPrefix, results }: Committed): string[] {
  if (results === undefined) return [`created from ${first}`]
  let next = first
  const textOf = (result: RequestResult) => {
    if (result.kind === 'created') return `created ${incidentId(idPrefix, next++)}`
    return result.kind === 'duplicate' ? `duplicate ${result.id}` : result.code
  }
  return results.map(textOf)
}

/** A frame of one request with a key. */
export const keyed = (key: string, body = '{}') => frameOf([body], { 0: { key } })
/** A frame of requests without keys. */
export const plain = (requests = 1) => frameOf(Array.from({ length: requests }, () => '{}'))
