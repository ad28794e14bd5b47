import type { StoreContext } from '../engine/context.ts'
import { Rooms } from '../engine/rooms.ts'
import { query } from '../engine/statement.ts'
import type { Transactions } from '../engine/transaction.ts'
import type { Applied, JournalEntry, JournalPort } from '../ports/journal.ts'
import type { Fulltext } from '../search/fulltext.ts'
import { progressOf } from '../turn.ts'
import { nothingApplied, type openApply } from './apply.ts'
import { ApplyError } from './entry.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import type { Quarantine } from './quarantine.ts'

interface JournalDeps {
  readonly transactions: Transactions
  readonly applyAgain: ReturnType<typeof openApply>['applyAgain']
  readonly quarantine: Quarantine
  readonly keys: Pick<IdempotencyKeys, 'find'>
  readonly queueReindex: Fulltext['queueReindex']
  /** No policy: no incident pages. */
  readonly pagingOff: boolean
  /** Any incident may be a sign of life. */
  readonly listensToAll: boolean
  /** Finished incidents that retention keeps. */
  readonly maxIncidents: number
}

export function openJournalPort(context: StoreContext, deps: JournalDeps): JournalPort {
  const { channels, now, db } = context
  const { transactions, applyAgain, quarantine, keys, queueReindex, pagingOff, listensToAll, maxIncidents } = deps
  const finishedAtOnce = channels.length === 0 && pagingOff && !listensToAll
  // A resolution ends the escalations of before the paging was switched off.
  const unresolved = query<object>(db, 'SELECT 1 FROM oncall WHERE phase < 5 LIMIT 1')

  function retry(quarantined: Parameters<JournalPort['retry']>[0], entries: readonly JournalEntry[]): Applied {
    const soFar = nothingApplied()
    quarantine.remove(quarantined)
    for (const entry of entries) applyAgain(entry, new Rooms(new Map()), soFar)
    for (let number = quarantined.first; number <= quarantined.last; number++) queueReindex(number)
    return soFar
  }

  return {
    progress: () => progressOf(context, transactions),
    keeps: () => (finishedAtOnce && unresolved.get() === undefined ? maxIncidents : Infinity),
    findKeys: (asked) => asked.map((key) => keys.find(key, now()) ?? null),
    nextQuarantined: () => quarantine.next(),
    retry(quarantined, entries) {
      if (entries.every(({ kind }) => kind === 'unreadable')) return undefined
      try {
        return transactions.write(() => retry(quarantined, entries))
      } catch (error) {
        if (error instanceof ApplyError) return undefined
        throw error
      }
    },
  }
}
