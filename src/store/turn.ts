import type { Dispatch } from '../domain/delivery/dispatch.ts'
import type { Copies } from './answers/copies.ts'
import type { StoreContext } from './engine/context.ts'
import { backlogSize, NO_NEWS } from './engine/counts.ts'
import { Rooms } from './engine/rooms.ts'
import type { Transactions } from './engine/transaction.ts'
import type { TurnClock } from './engine/turn-clock.ts'
import { nothingApplied, type openApply } from './journal/apply.ts'
import { ApplyError, entriesAbove, replaceFailed } from './journal/entry.ts'
import type { NoiseParts } from './noise/noise.ts'
import type { Holding } from './noise/silences/holding.ts'
import type { Silences } from './noise/silences/silences.ts'
import type { Schedules } from './oncall/schedules.ts'
import type { OutboxPort } from './outbox/outbox.ts'
import type { OncallPort } from './pages/port.ts'
import type { ApplyProgress, JournalEntry } from './ports/journal.ts'
import type { OncallChange } from './ports/oncall.ts'
import type { Turn, TurnNews, TurnPort, TurnResult } from './ports/turn.ts'

interface TurnDeps {
  readonly transactions: Transactions
  readonly standing: TurnClock['standing']
  readonly apply: ReturnType<typeof openApply>['apply']
  readonly outbox: OutboxPort
  readonly oncall: OncallPort
  readonly silences: Pick<Silences, 'tick'> & { readonly holdDueTimers: Holding['dueTimers'] }
  /** Undefined: no schedule is configured. */
  readonly schedules: Pick<Schedules, 'tick'> | undefined
  prune(maxRows: number): number
  readonly copies: Pick<Copies, 'ended'>
  /** Goes on with what people acknowledge of digests. */
  acknowledgeMore(): readonly OncallChange[]
  /** Adds what messages show of their problem. */
  withAnswers(dispatches: Dispatch[]): Dispatch[]
}

/**
 * Incidents between two runs of retention. A run touches the oldest pages of the file, so runs are rare and delete up
 * to twice as many. It shares the transaction of a turn, because one of its own would hold up what follows.
 */
const PRUNE_EVERY = 256
/** Payload bytes that turns without fsync apply at most between two turns with one: the journal keeps them as long. */
const MAX_UNSYNCED_BYTES = 8 * 1024 * 1024

export function openTurn(context: NoiseParts, deps: TurnDeps): TurnPort {
  const { counts, now, notices, causes, problems, outages, bundles, burn, endFlapping } = context
  const { transactions, standing, apply, outbox, oncall, silences, prune } = deps
  let unpruned = PRUNE_EVERY
  let unsyncedBytes = 0

  function work(turn: Turn, entries: readonly JournalEntry[]): Omit<TurnResult, keyof ApplyProgress | keyof TurnNews> {
    const rooms = new Rooms(turn.capacity)
    const soFar = nothingApplied()
    if (turn.clockJumpMs !== 0)
      for (const part of [outbox, oncall, bundles, outages, problems, causes, context.runs])
        part?.shift(turn.clockJumpMs)
    // Settlements come first: a delivery that was settled before its sender died is not reclaimed.
    const settled = outbox.settle(turn.settlements)
    soFar.oncall.push(...settled.flatMap((each) => (each?.kind === 'page' ? [each.change] : [])))
    if (turn.sendersLost) outbox.reclaim()
    soFar.oncall.push(...silences.tick(turn.clockJumpMs !== 0))
    deps.schedules?.tick(turn.clockJumpMs !== 0)
    soFar.oncall.push(...endFlapping())
    const concluded = context.windUp.next()
    if (burn.count({ settlements: turn.settlements, settled, concluded })) notices.raise('slo')
    apply(entries, rooms, soFar)
    outages.next()
    for (const problem of problems.next()) deps.copies.ended(problem)
    soFar.oncall.push(...deps.acknowledgeMore())
    context.runs?.next()
    const { dispatches, stuck } = outbox.claim(withoutHeldTimers(rooms.left, soFar))
    soFar.dispatches.push(...dispatches)
    if (unpruned + soFar.drafts.length >= PRUNE_EVERY) prune(2 * (unpruned + soFar.drafts.length))
    return { ...soFar, dispatches: deps.withAnswers(soFar.dispatches), settled, stuck, concluded }
  }

  /** Holds due timers that an opening silence fits. Those behind them were not looked at: they are claimed later. */
  function withoutHeldTimers(left: Rooms['left'], soFar: { readonly oncall: OncallChange[] }): Rooms['left'] {
    const room = left.get('oncall')
    if (room === undefined) return left
    const changes = silences.holdDueTimers(room.slots)
    if (changes.length === 0) return left
    soFar.oncall.push(...changes)
    return new Map(left).set('oncall', { ...room, slots: Math.max(0, room.slots - changes.length) })
  }

  /** True when the result may hold something that must not leave before it is on disk. */
  function needsFsync(turn: Turn, entries: readonly JournalEntry[]): boolean {
    const { settlements, sendersLost, clockJumpMs, capacity } = turn
    const destinations = [...capacity.keys(), 'any'] as const
    const canLease =
      (entries.length > 0 && capacity.size > 0) || destinations.some((to) => outbox.nextDueAt(to) <= now())
    return canLease || settlements.length > 0 || sendersLost || clockJumpMs !== 0 || unsyncedBytes > MAX_UNSYNCED_BYTES
  }

  function transact(turn: Turn, entries: readonly JournalEntry[], synced: boolean) {
    try {
      return (synced ? transactions.write : transactions.writeWithoutFsync)(() => work(turn, entries))
    } catch (error) {
      if (!(error instanceof ApplyError)) throw error
      return error
    }
  }

  /** Repeats the transaction without what cannot be applied. Dearer than a savepoint, but only for turns that fail. */
  function runTurn(turn: Turn): TurnResult {
    let entries = entriesAbove(counts.appliedUpTo, turn.entries)
    const synced = needsFsync(turn, entries)
    let result = transact(turn, entries, synced)
    while (result instanceof ApplyError) {
      const failure = result
      entries = entries.flatMap((entry) => (entry === failure.entry ? replaceFailed(failure) : [entry]))
      result = transact(turn, entries, synced)
    }
    unpruned = (unpruned + result.drafts.length) % PRUNE_EVERY
    unsyncedBytes = synced ? 0 : unsyncedBytes + bytesOf(entries)
    const { news } = counts
    counts.news = NO_NEWS
    return { ...result, ...news, ...progressOf(context, transactions) }
  }

  return (turn) => standing(() => runTurn(turn))
}

export const progressOf = ({ counts }: StoreContext, { released }: Pick<Transactions, 'released'>): ApplyProgress => ({
  applied: counts.appliedUpTo,
  released,
  backlog: backlogSize(counts),
})

const bytesOf = (entries: readonly JournalEntry[]) =>
  entries.reduce((sum, entry) => sum + (entry.kind === 'ready' ? entry.contents.length : 0), 0)
