import type { StoreContext } from '../engine/context.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import type { ProblemPort } from '../ports/problems.ts'
import type { ProblemActions } from './operate.ts'
import type { Problems } from './problems.ts'
import { openProblemDetail } from './queries/detail.ts'
import { openProblemList } from './queries/list.ts'
import { openNamedProblem } from './queries/named.ts'

interface PortDeps {
  readonly write: Write
  readonly problems: Problems
  readonly actions: ProblemActions
}

export function openProblemPort(context: StoreContext, { write, problems, actions }: PortDeps): ProblemPort {
  return {
    list: openProblemList(context),
    detail: openProblemDetail(context),
    nextAt: problems.nextAt,
    named: openNamedProblem(context, problems),
    ...inTransactions(write, actions),
  }
}
