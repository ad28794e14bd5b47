import { join } from 'node:path'
import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import { type Dispatch, keyOf, type Settlement } from '../../src/domain/delivery/dispatch.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { type CaseOptions, measure, type Row, type TrialOptions } from '../report.ts'
import { commitDrafts, NO_WORK } from '../seed/commit-drafts.ts'
import { draftMaker } from '../seed/drafts.ts'

/** Work of the store thread, with the disk: each write is a transaction; claiming and settling end with an fsync. */
export const title =
  'store: microseconds per incident of 1 kB (search and list: per call) on the store thread, with the fsync of those that claim or settle'

interface Case {
  readonly work: keyof typeof WORKS
  /** Incidents in one transaction. */
  readonly batch: number
  readonly times: number
  readonly rounds: number
}

const CHANNEL: ChannelName = 'chatws'
const draft = draftMaker()
let made = 0
const drafts = (count: number) => Array.from({ length: count }, () => draft(made++))

/** Prepares, then returns the measured work: one transaction. */
const WORKS = {
  'apply, no channel': (store: Store, batch: number) => {
    const next = drafts(batch)
    return () => commitDrafts(store, next)
  },
  'apply, one channel, to be claimed later': (store: Store, batch: number) => {
    const next = drafts(batch)
    return () => commitDrafts(store, next)
  },
  claim: (store: Store, batch: number) => {
    spill(store, batch)
    return () => claimDue(store, batch)
  },
  'settle as sent': (store: Store, batch: number) => {
    const claimed = claim(store, batch)
    return () => store.turn({ ...NO_WORK, settlements: claimed.map(sent) })
  },
  prune: (store: Store, batch: number) => {
    commitDrafts(store, drafts(batch))
    return () => store.maintenance.prune(batch)
  },
  'index for search': (store: Store, batch: number) => {
    commitDrafts(store, drafts(batch))
    return () => store.maintenance.index(batch)
  },
  'search: a word of few incidents': (store: Store) => () => store.incidents.list({ q: '"host123"', limit: 50 }),
  'list: newest 50': (store: Store) => () => store.incidents.list({ limit: 50 }),
} as const

const WITHOUT_CHANNEL = new Set<keyof typeof WORKS>(['apply, no channel', 'prune', 'index for search'])
const LISTED = 100_000

export function cases({ quick }: CaseOptions): Case[] {
  const works: readonly [keyof typeof WORKS, number][] = [
    ['apply, no channel', 1],
    ['apply, no channel', 16],
    ['apply, no channel', 64],
    ['apply, one channel, to be claimed later', 64],
    ['claim', 64],
    ['settle as sent', 64],
    ['prune', 64],
    ['index for search', 32],
    ['search: a word of few incidents', 1],
    ['list: newest 50', 1],
  ]
  const some = quick ? works.filter(([, batch]) => batch === 64).slice(0, 4) : works
  return some.map(([work, batch]) => ({ work, batch, times: quick ? 20 : 100, rounds: quick ? 1 : 5 }))
}

export async function run({ scratch, progress }: TrialOptions, one: Case): Promise<Row[]> {
  const { work, batch, times, rounds } = one
  progress(`${work}, ${batch} in a transaction`)
  const store = openFor(one, join(scratch, `store-${process.pid}`))
  if (batch === 1 && !work.startsWith('apply')) fill(store)
  const samples: number[] = []
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    let tookMs = 0
    for (let n = 0; n < times; n++) tookMs += timed(WORKS[work](store, batch))
    if (round > 0) samples.push((tookMs * 1_000) / (times * batch))
  }
  store.close()
  return [
    {
      work,
      'in a transaction': batch,
      us: measure(samples, 1),
      'per second': Math.round(1e6 / measure(samples, 1).median),
    },
  ]
}

function openFor({ work }: Case, dataDir: string): Store {
  const channels = WITHOUT_CHANNEL.has(work) ? [] : [CHANNEL]
  const maxIncidents = work === 'prune' ? 1_000 : 1_000_000
  return openStore({ dataDir, channels, maxIncidents, maxBacklog: 1_000_000, now: () => Date.now() })
}

function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function fill(store: Store): void {
  for (let n = 0; n < LISTED; n += 1_000) commitDrafts(store, drafts(1_000))
  while (store.maintenance.index(1_000) > 0);
}

function spill(store: Store, count: number): void {
  commitDrafts(store, drafts(count))
}

function claim(store: Store, count: number): readonly Dispatch[] {
  spill(store, count)
  return claimDue(store, count)
}

function claimDue({ turn }: Store, slots: number): readonly Dispatch[] {
  return turn({ ...NO_WORK, capacity: new Map([[CHANNEL, { slots, maxBytes: Number.MAX_SAFE_INTEGER }]]) }).dispatches
}

const TEXT = 'The disk of db-3 will be full within four hours. '.repeat(10)

function sent(dispatch: Dispatch): Settlement {
  const { attempt: number, dispatchedAt } = dispatch
  const times = { dispatchedAt, startedAt: dispatchedAt, durationMs: 20, renderMs: 0.05, limiterWaitMs: 0 }
  const attempt = { ...times, number, outcome: 'sent', detail: 'ok', messageId: 'm', mayDuplicate: false } as const
  return { ...keyOf(dispatch), verdict: { state: 'sent' }, text: TEXT, attempt }
}
