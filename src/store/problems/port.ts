import type { Page } from '../../domain/page.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import type { StoreParts } from '../parts.ts'
import { openNamedProblem } from './queries/named.ts'
import { openProblemDetail, openProblemList } from './queries/read.ts'

const isToCome = ({ timer, next }: Page) => timer !== undefined || next?.signal === 'trigger'

/**
 * Problems: all incidents of one fingerprint. Store thread. The actions are durable when they return, and throw
 * `storage_full`, `storage_down`.
 */
export function openProblemPort<Actions extends object>(context: StoreParts, write: Write, actions: Actions) {
  return {
    list: openProblemList(context),
    detail: openProblemDetail(context),
    nextAt: context.problems.nextAt,
    named: openNamedProblem(context),
    /** Pages of the problem that are to come or on their way, those that a silence holds included. */
    pagesToCome: (id: number): number => context.pages.rows.find(id).filter(isToCome).length,
    /** The same, and those that the provider has and nobody acknowledged: their end would end its own escalation. */
    openPages: (id: number): number =>
      context.pages.rows
        .find(id)
        .filter((page) => isToCome(page) || page.stand?.phase === 'paging' || page.stand?.phase === 'paged').length,
    ...inTransactions(write, actions),
  }
}
