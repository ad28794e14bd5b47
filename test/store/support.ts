import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommitResult, Draft, Submission } from '../../src/domain/commit.ts'
import type { Attempt, ChannelName, Destination, DispatchVerdict } from '../../src/domain/delivery.ts'
import { type Dispatch, keyOf, type MessageDispatch, type Settlement } from '../../src/domain/dispatch.ts'
import type { CodedError } from '../../src/domain/errors.ts'
import { byChannel } from '../../src/store/engine/counts.ts'
import { packSubmissions } from '../../src/store/journal/codec.ts'
import type { Applied, Reserve } from '../../src/store/ports/journal.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/store.ts'

/** The part of a test context that cleans up. */
interface Ending {
  after(clean: () => void): void
}

/** A fresh directory, removed after the test. */
export function freshDir(t: Ending): string {
  const dir = mkdtempSync(join(tmpdir(), 'tocsin-store-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export const START = Date.UTC(2030, 0, 1)

interface CommittedAndApplied extends Omit<Applied, 'drafts'> {
  readonly result: CommitResult
}

/** Appends one submission and applies the whole journal; inside `write`. */
export function commitAndApply({ journal }: Store, submission: Submission, reserve: Reserve): CommittedAndApplied {
  const [result] = packSubmissions([submission]).flatMap((packed) => journal.append(packed) ?? [])
  if (result !== undefined && result.kind !== 'created') return { result, dispatches: [], oncall: [] }
  const { dispatches, oncall } = journal.apply(Infinity, reserve)
  return { result: { kind: 'created' }, dispatches, oncall }
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

  constructor(t: Ending, changes: Partial<StoreOptions> = {}) {
    const channels = ['chatws', 'email'] as const
    const limits = { maxIncidents: 1000, maxBacklog: 1000 }
    this.options = { dataDir: freshDir(t), channels, ...limits, now: () => this.now, ...changes }
    this.store = openStore(this.options)
    t.after(() => this.store.close())
  }

  reopen(changes: Partial<StoreOptions> = {}): void {
    this.store.close()
    this.store = openStore({ ...this.options, ...changes })
  }

  /** `withSlots`: channels whose senders have free slots. */
  commit(submission: Submission, withSlots: readonly ChannelName[] = []) {
    return this.store.write(() => commitAndApply(this.store, submission, (channel) => withSlots.includes(channel)))
  }

  /** Commits one incident that stays pending on every channel; returns its id. */
  spill(changes: Partial<Draft> = {}): string {
    const one = draft(changes)
    this.commit({ drafts: [one] })
    return one.id
  }

  claim(channel: ChannelName, slots = 100, maxBytes = Number.MAX_SAFE_INTEGER): MessageDispatch[] {
    const { dispatches } = this.store.write(() => this.store.outbox.claim(new Map([[channel, { slots, maxBytes }]])))
    return dispatches.flatMap((dispatch) => (dispatch.kind === 'page' ? [] : [dispatch]))
  }

  /** Claims what is due for these destinations. */
  claimAll(destinations: readonly Destination[] = this.options.channels) {
    const room = { slots: 100, maxBytes: Number.MAX_SAFE_INTEGER }
    return this.store.write(() => this.store.outbox.claim(new Map(destinations.map((to) => [to, room]))))
  }

  settle(dispatch: Dispatch, verdict: DispatchVerdict, changes: Partial<Attempt> = {}) {
    return this.store.write(() => this.store.outbox.settle(settlement(dispatch, verdict, changes)))
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

export const withCode = (code: CodedError['code']) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
