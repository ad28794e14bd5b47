import { Rooms } from '../engine/rooms.ts'
import type { Transactions } from '../engine/transaction.ts'
import type { StoreParts } from '../parts.ts'
import type { Applied, ApplyProgress, JournalEntry, QuarantinedEntry } from '../ports/journal.ts'
import { progressOf } from '../turn.ts'
import { nothingApplied, type openApply } from './apply.ts'
import { ApplyError } from './entry.ts'
import type { Quarantine } from './quarantine.ts'

interface JournalDeps {
  readonly transactions: Transactions
  readonly applyAgain: ReturnType<typeof openApply>['applyAgain']
  readonly quarantine: Quarantine
  /** No policy: no incident pages. */
  readonly pagingOff: boolean
  /** Any incident may be a sign of life. */
  readonly listensToAll: boolean
  /** Finished incidents that retention keeps. */
  readonly maxIncidents: number
}

/**
 * The way from the journal into the database; entries are applied by `turn`.
 *
 * Store thread.
 */
export type JournalPort = ReturnType<typeof openJournalPort>

export function openJournalPort(context: StoreParts, deps: JournalDeps) {
  const { channels, now, db, keys, fulltext } = context
  const { transactions, applyAgain, quarantine, pagingOff, listensToAll, maxIncidents } = deps
  const finishedAtOnce = channels.length === 0 && pagingOff && !listensToAll
  // A resolution ends the pages of before the paging was switched off.
  const unresolved = db.query<object>('SELECT 1 FROM pages LIMIT 1')

  function retry(quarantined: QuarantinedEntry, entries: readonly JournalEntry[]): Applied {
    const soFar = nothingApplied()
    quarantine.remove(quarantined)
    for (const entry of entries) applyAgain(entry, new Rooms(new Map()), soFar)
    for (let number = quarantined.first; number <= quarantined.last; number++) fulltext.queueReindex(number)
    return soFar
  }

  return {
    /** O(1). */
    progress: (): ApplyProgress => progressOf(context, transactions),
    /**
     * Number of the newest unapplied incidents that are to be applied: those before them would finish as they are
     * inserted, and retention would delete them at once. Infinity: all.
     */
    keeps: (): number => (finishedAtOnce && unresolved.get() === undefined ? maxIncidents : Infinity),
    /** Parallel to the keys: id of the first incident of the request that used the key within 24 h; null: none. */
    findKeys: (asked: readonly string[]): (string | null)[] => asked.map((key) => keys.find(key, now()) ?? null),
    /**
     * Returns the next of the entries that were in quarantine at the opening; undefined: each was returned once. A new
     * program may be able to apply them.
     */
    nextQuarantined: (): QuarantinedEntry | undefined => quarantine.next(),
    /**
     * Applies what `nextQuarantined` returned, in a transaction of its own, under its own numbers; nothing is dispatched.
     * `entries`: all of the frame. What is still unreadable stays in quarantine. Returns undefined when
     * nothing could be applied. Throws `storage_full`, `storage_down`.
     */
    retry(quarantined: QuarantinedEntry, entries: readonly JournalEntry[]): Applied | undefined {
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
