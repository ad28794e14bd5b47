import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { crc32 } from 'node:zlib'
import type { Found } from '../../../actors/messages/journal-storage.ts'
import type { StorageMail } from '../../../actors/messages/mailboxes.ts'
import { type Deliver, PAGE_WINDOW } from '../../../actors/messages/storage-send.ts'
import { createApplyProgress } from '../../../actors/store/apply-progress.ts'
import { PAUSE_MS, storageActor } from '../../../actors/store/storage.ts'
import { UnwrittenResults } from '../../../actors/store/unwritten-results.ts'
import type { Destination } from '../../../src/domain/delivery/delivery.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { TailEvent } from '../../../src/domain/event.ts'
import { encodeFrame, type RequestOptions, sealFrame } from '../../../src/domain/frame.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import type { StoredFrame } from '../../../src/journal/contract.ts'
import { createProgressMemory, SharedProgress } from '../../../src/journal/progress.ts'
import { Cell } from '../../../src/kernel/cell.ts'
import { Mailbox } from '../../../src/kernel/mailbox.ts'
import { nearRef } from '../../../src/kernel/ref.ts'
import type { Sql } from '../../../src/store/engine/sql.ts'
import type { JournalPort } from '../../../src/store/journal/port.ts'
import type { Quarantined } from '../../../src/store/ports/journal.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { folder } from '../../harness/config-file.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from '../../kernel/support/by-hand.ts'
import { openDatabase, openStore, release } from '../../store/database.ts'

type Frame = Uint8Array<ArrayBuffer>

const PAYLOAD = { ServiceName: 'ledger' }
/** The payload of all incidents, or of one by its number. */
type PayloadOf = object | ((number: number) => object)

interface Beginning {
  /** Called before the store is opened on its tables. */
  readonly seed?: ((db: Sql) => void) | undefined
  /** Called before the actor starts. */
  readonly before?: ((rig: StorageRig) => void) | undefined
}

/**
 * The storage actor over a real store whose disk fails on demand, with a journal that the test writes, and senders that
 * keep their dispatches.
 */
export class StorageRig {
  readonly clock = new ManualClock()
  readonly #dataDir = folder()
  readonly db = openDatabase(this.#dataDir)
  readonly store
  readonly progress = new SharedProgress(createProgressMemory())
  readonly applyProgress
  readonly senders = new Map<Destination, Mailbox<Deliver>>()
  readonly found: Found[] = []
  readonly reports: string[] = []
  readonly quarantined: Quarantined[] = []
  readonly published: TailEvent[] = []
  disk: 'good' | 'full' | 'broken' = 'good'
  lookups: 'good' | 'broken' = 'good'
  mayDispatch = true
  subscribed = false
  /** Turns and steps of retention that were begun. */
  writes = 0
  readonly cell: Cell<StorageMail>
  readonly files: (Pick<StoredFrame, 'damage'> & { readonly frame: Frame; readonly first: number; last: number })[] = []
  readonly #scheduler = manualScheduler()

  constructor(t: TestContext, changes: Partial<StoreOptions> = {}, { seed, before }: Beginning = {}) {
    seed?.(this.db)
    const limits = { channels: ['chatws'], maxIncidents: 10, maxBacklog: 100 } as const
    const options = { dataDir: '', ...limits, now: () => this.clock.now(), ...changes }
    this.store = openStore(options, this.db)
    t.after(() => {
      this.store.close()
      release(this.#dataDir)
    })
    for (const channel of options.channels) this.senders.set(channel, new Mailbox<Deliver>({ capacity: 64 }))
    if (options.oncall) this.senders.set('oncall', new Mailbox<Deliver>({ capacity: PAGE_WINDOW }))
    this.applyProgress = createApplyProgress(this.progress, this.store.journal, this.clock)
    before?.(this)
    this.cell = this.#start()
  }

  offer(mail: StorageMail): void {
    assert.ok(this.cell.mailbox.offer(mail))
  }

  pass(): void {
    this.#scheduler.passAll()
  }

  /** Has the mail handled in a turn of its own. */
  tell(mail: StorageMail): void {
    this.clock.advance(PAUSE_MS)
    this.offer(mail)
    this.pass()
  }

  /** Commits one request to the journal and announces it. */
  commit(incidents = 1, options: RequestOptions = {}, payload: PayloadOf = PAYLOAD): void {
    this.clock.advance(PAUSE_MS)
    this.append(incidents, options, payload)
    this.offer({ kind: 'appended' })
    this.pass()
  }

  /** Commits one request to the journal, and tells nobody. */
  append(incidents = 1, options: RequestOptions = {}, payload: PayloadOf = PAYLOAD): Frame {
    const first = this.progress.committed + 1
    const last = first + incidents - 1
    const bodies = Array.from({ length: incidents }, (_, nth) =>
      Buffer.from(JSON.stringify(typeof payload === 'function' ? payload(first + nth) : payload)),
    )
    const columns = {
      receivedAt: [this.clock.now()],
      counts: [incidents],
      lengths: bodies.map((body) => body.length),
      options: [[0, options] as const],
    }
    const frame = encodeFrame(columns, Buffer.concat(bodies))
    const idPrefix = Buffer.from('01930000000070008000', 'hex')
    sealFrame(frame, { first, life: 1, committedAt: this.clock.now(), idPrefix, leads: true }, crc32)
    this.files.push({ frame, first, last })
    this.progress.setCommitted(last, options.key === undefined ? undefined : last)
    return frame
  }

  /** Waits for both failures of a message and the restarts after them. */
  async rebuilt(): Promise<void> {
    for (let round = 0; round < 4; round++) {
      this.clock.advance(10_000)
      await new Promise(setImmediate)
      this.pass()
    }
  }

  #start(): Cell<StorageMail> {
    const { store, clock, progress, reports } = this
    const { scheduler } = this.#scheduler
    const faulty =
      <A, R>(verb: (argument: A) => R) =>
      (argument: A) => {
        this.writes++
        if (this.disk === 'full') throw new CodedError('storage_full')
        if (this.disk === 'broken') throw new Error('a fault of ours')
        return verb(argument)
      }
    const maintenance = { ...store.maintenance, prune: faulty(store.maintenance.prune) }
    const journal: JournalPort = {
      ...store.journal,
      findKeys: (keys) => {
        if (this.lookups === 'broken') throw new Error('a fault of ours')
        return store.journal.findKeys(keys)
      },
    }
    const senders = Array.from(this.senders, ([to, mailbox]) => {
      return [to, nearRef<Deliver>(to, mailbox, mailbox.spec.capacity)] as const
    })
    const rig = this
    const unwritten = new UnwrittenResults()
    const published = this.applyProgress
    published.publish()
    const build = () =>
      storageActor({
        store: { ...store, turn: faulty(store.turn), maintenance, journal },
        published,
        progress,
        reader: { read: (number, end) => this.files.filter(({ first, last }) => last >= number && first <= end) },
        replies: {
          tell: (found, onSent) => {
            this.found.push(found)
            onSent()
          },
        },
        recognise,
        senders: new Map(senders),
        maxInFlightBytes: 1_000_000,
        mayDispatch: () => this.mayDispatch,
        diskRefused: () => reports.push('refused'),
        diskRecovered: () => reports.push('recovered'),
        noticesStuck: (about) => reports.push(`stuck ${about}`),
        journalUnreadable: () => reports.push('journal unreadable'),
        quarantined: (row) => this.quarantined.push(row),
        unwritten,
        tasks: [],
        clock,
        publisher: {
          get hasSubscribers() {
            return rig.subscribed
          },
          publish: (event) => void this.published.push(event),
        },
      })
    const spec = {
      name: 'storage',
      batch: 4_096,
      slots: 'held',
      pauseMs: PAUSE_MS,
      mailbox: { capacity: 4_096 },
      build,
    } as const
    return new Cell<StorageMail>(spec, { clock, scheduler, report: { failed() {}, deadLetter() {} } })
  }
}
