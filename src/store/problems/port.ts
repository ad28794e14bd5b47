import type { StoreContext } from '../engine/context.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import type { ProblemPort } from '../ports/problems.ts'
import { openProblemActions } from './operate.ts'
import type { Problems } from './problems.ts'
import { openProblemDetail } from './queries/detail.ts'
import { openProblemList } from './queries/list.ts'
import { openNamedProblem } from './queries/named.ts'

interface PortDeps extends Omit<Parameters<typeof openProblemActions>[1], 'problems'> {
  readonly write: Write
  readonly problems: Problems
}

export function openProblemPort(context: StoreContext, { write, ...deps }: PortDeps): ProblemPort {
  return {
    list: openProblemList(context),
    detail: openProblemDetail(context),
    nextAt: deps.problems.nextAt,
    named: openNamedProblem(context, deps.problems),
    ...inTransactions(write, openProblemActions(context, deps)),
  }
}
