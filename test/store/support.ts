import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Attempt, ChannelName, Destination, DispatchVerdict } from '../../src/domain/delivery/delivery.ts'
import { type Dispatch, keyOf, type MessageDispatch, type Settlement } from '../../src/domain/delivery/dispatch.ts'
import type { CodedError } from '../../src/domain/errors.ts'
import { encodeFrame, sealFrame } from '../../src/domain/frame.ts'
import type { Draft, Submission } from '../../src/domain/incident.ts'
import { byChannel } from '../../src/store/engine/counts.ts'
import type { JournalEntry, ReadyEntry } from '../../src/store/ports/journal.ts'
import type { Capacity } from '../../src/store/ports/outbox.ts'
import type { Turn } from '../../src/store/ports/turn.ts'
import type { Store } from '../../src/store/store.ts'
import type { StoreOptions } from '../../src/store/store-options.ts'
import { PLACE } from '../harness/place.ts'
import { openDatabase, openStore, release } from './database.ts'
import { Faults } from './faults.ts'

/** The part of a test context that cleans up. */
interface Ending {
  after(clean: () => void): void
}

/** A fresh directory, removed after the test. */
export function freshDir(t: Ending): string {
  const dir = mkdtempSync(join(PLACE, 'tocsin-store-'))
  t.after(() => {
    release(dir)
    rmSync(dir, { recursive: true, force: true })
  })
  return dir
}

export const START = Date.UTC(2030, 0, 1)

const NO_TURN: Turn = {
  settlements: [],
  sendersLost: false,
  clockJumpMs: 0,
  entries: [],
  capacity: new Map(),
}

export const turn = (store: Store, changes: Partial<Turn>) => store.turn({ ...NO_TURN, ...changes })

const ALL_ROOM: Capacity = { slots: 1_000, maxBytes: Number.MAX_SAFE_INTEGER }
/** Room without a bound at the senders of these destinations, and none at the others. */
export const roomAt = (...destinations: readonly Destination[]): Turn['capacity'] =>
  new Map(destinations.map((to) => [to, ALL_ROOM]))

/** Submissions as the journal hands them over: one frame, in order. The drafts keep their ids. */
export function entryOf(first: number, submissions: readonly Submission[], committedAt = START): ReadyEntry {
  const drafts = submissions.flatMap((submission) => submission.drafts)
  const contents = Buffer.concat(drafts.map(({ content }) => content))
  const frame = encodeFrame(
    {
      receivedAt: submissions.map((submission) => submission.drafts[0]?.createdAt ?? 0),
      counts: submissions.map((submission) => submission.drafts.length),
      lengths: drafts.map(({ content }) => content.length),
      options: submissions.map(({ drafts: [one], ...options }, at) => [
        at,
        { ...options, source: one?.source ?? 'webhook' },
      ]),
    },
    contents,
  )
  sealFrame(frame, { first, life: 1, committedAt, idPrefix: ID_PREFIX, leads: true }, crc32)
  return { kind: 'ready', first, last: first + drafts.length - 1, committedAt, submissions, contents, frame }
}
const ID_PREFIX = Buffer.from('01930000000070008000', 'hex')

/** Submissions that follow on what is applied; each is an entry of its own. */
export function entriesFor(
  { journal }: Store,
  submissions: readonly Submission[],
  committedAt = START,
): JournalEntry[] {
  let next = journal.progress().applied + 1
  return submissions.map((submission) => {
    const entry = entryOf(next, [submission], committedAt)
    next = entry.last + 1
    return entry
  })
}

/** The backlog of each channel. */
export function backlogOf({ channels }: Store) {
  const health = channels.health()
  return byChannel((channel) => health[channel].backlog)
}

/** A store on a fresh directory, with a clock that the test sets. */
export class StoreRig {
  now = START
  store: Store
  readonly options: StoreOptions
  #faults: Faults

  constructor(t: Ending, changes: Partial<StoreOptions> = {}) {
    const channels = ['chatws', 'email'] as const
    const limits = { maxIncidents: 1000, maxBacklog: 1000 }
    this.options = { dataDir: freshDir(t), channels, ...limits, now: () => this.now, ...changes }
    ;[this.store, this.#faults] = openWithFaults(this.options)
    t.after(() => this.store.close())
  }

  reopen(changes: Partial<StoreOptions> = {}): void {
    this.store.close()
    ;[this.store, this.#faults] = openWithFaults({ ...this.options, ...changes })
  }

  turn(changes: Partial<Turn>) {
    return turn(this.store, changes)
  }

  /**
   * Commits as the journal does, unless the key was used, and applies. `withRoom`: channels whose senders have room; they
   * are handed all that is due.
   */
  commit(submission: Submission, withRoom: readonly ChannelName[] = []) {
    const [id] = submission.key === undefined ? [] : this.store.journal.findKeys([submission.key])
    const entries = id ? [] : entriesFor(this.store, [submission], this.now)
    const result = id ? ({ kind: 'duplicate', id } as const) : ({ kind: 'created' } as const)
    return { result, ...this.turn({ entries, capacity: roomAt(...withRoom) }) }
  }

  /** Runs `work` on a disk that refuses the commit. */
  failingAtCommit(work: () => void): void {
    this.failingAt('COMMIT', work)
  }

  /** Runs `work` on a disk that fails from the nth statement on, counted from 0. */
  failingAt<T>(at: number | 'COMMIT', work: () => T): T {
    return this.#faults.during(at, work)
  }

  /** Returns how many statements the work runs, which may open the store anew. */
  statements(work: () => void): number {
    const faults = this.#faults
    const before = faults.ran
    work()
    return this.#faults.ran - (this.#faults === faults ? before : 0)
  }

  /** Commits one incident that stays pending on every channel; returns its id. */
  spill(changes: Partial<Draft> = {}): string {
    const one = draft(changes)
    this.commit({ drafts: [one] })
    return one.id
  }

  claim(channel: ChannelName, slots = 1_000, maxBytes = Number.MAX_SAFE_INTEGER): MessageDispatch[] {
    const { dispatches } = this.turn({ capacity: new Map([[channel, { slots, maxBytes }]]) })
    return dispatches.flatMap((dispatch) => (dispatch.destination === 'oncall' ? [] : [dispatch]))
  }

  /** Claims what is due for these destinations. */
  claimAll(destinations: readonly Destination[] = this.options.channels) {
    return this.turn({ capacity: roomAt(...destinations) })
  }

  settle(dispatch: Dispatch, verdict: DispatchVerdict, changes: Partial<Attempt> = {}) {
    return this.turn({ settlements: [settlement(dispatch, verdict, changes)] }).settled[0]
  }

  /** Claims everything due on a channel and settles it with one verdict. */
  finish(channel: ChannelName, verdict: DispatchVerdict = { state: 'sent' }): void {
    for (const dispatch of this.claim(channel)) this.settle(dispatch, verdict)
  }

  detail(id: string) {
    const detail = this.store.incidents.detail(id)
    if (detail === undefined) throw new Error(`no incident ${id}`)
    return detail
  }
}

function openWithFaults(options: StoreOptions): [Store, Faults] {
  const faults = new Faults()
  return [openStore(options, openDatabase(options.dataDir, faults)), faults]
}

let count = 0
/** Ids ascend. */
export function draft(changes: Partial<Draft> = {}): Draft {
  count++
  return {
    id: `01930000-0000-7000-8000-${String(count).padStart(12, '0')}`,
    source: 'webhook',
    sender: 'custom',
    createdAt: START - 5,
    title: `incident ${count}`,
    service: 'checkout',
    severity: 'critical',
    status: 'firing',
    fingerprint: `custom:${count}`,
    content: Buffer.from(JSON.stringify({ Logs: `something happened ${count}` })),
    ...changes,
  }
}

export function settlement(dispatch: Dispatch, verdict: DispatchVerdict, changes: Partial<Attempt> = {}): Settlement {
  if (verdict.state === 'released') return { ...keyOf(dispatch), verdict }
  const { incident, destination, attempt } = dispatch
  const outcome = ({ sent: 'sent', pending: 'retry', dead: 'failed' } as const)[verdict.state]
  const times = { dispatchedAt: START + 90, renderMs: 1.5, limiterWaitMs: 0, startedAt: START + 100, durationMs: 20 }
  const detail = `the provider said ${outcome}`
  return {
    ...keyOf(dispatch),
    verdict,
    text: `text of ${incident} for ${destination}`,
    attempt: { number: attempt, ...times, outcome, detail, mayDuplicate: false, ...changes },
  }
}

export function verdictOf(how: string, at: number): DispatchVerdict {
  switch (how) {
    case 'dead':
      return { state: 'dead', reason: 'gone' }
    case 'pending':
      return { state: 'pending', at }
    case 'released':
      return { state: 'released' }
    default:
      return { state: 'sent' }
  }
}

export const withCode = (code: CodedError['code']) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
