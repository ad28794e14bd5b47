import { inTransactions, type Write } from '../engine/transaction.ts'
import type { StoreParts } from '../parts.ts'
import type { ProblemActions } from './operate.ts'
import { openNamedProblem } from './queries/named.ts'
import { openProblemDetail, openProblemList } from './queries/read.ts'

/**
 * Problems: all incidents of one fingerprint. Store thread. The actions are durable when they return, and throw
 * `storage_full`, `storage_down`.
 */
export function openProblemPort<Actions extends ProblemActions>(context: StoreParts, write: Write, actions: Actions) {
  return {
    list: openProblemList(context),
    detail: openProblemDetail(context),
    nextAt: context.problems.nextAt,
    named: openNamedProblem(context),
    /** Pages of the problem that are to come or on their way, those that a silence holds included. */
    pagesToCome: (id: number): number =>
      context.pages.rows.find(id).filter(({ timer, next }) => timer !== undefined || next?.signal === 'trigger').length,
    /** The same, and those that the provider has and nobody acknowledged: their end would end its own escalation. */
    openPages: (id: number): number =>
      context.pages.rows
        .find(id)
        .filter(
          ({ timer, next, stand }) =>
            timer !== undefined || next?.signal === 'trigger' || stand?.phase === 'paging' || stand?.phase === 'paged',
        ).length,
    ...inTransactions(write, actions),
  }
}
