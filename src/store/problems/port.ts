import { inTransactions, type Write } from '../engine/transaction.ts'
import type { StoreParts } from '../parts.ts'
import type { ProblemPort } from '../ports/problems.ts'
import type { ProblemActions } from './operate.ts'
import { openProblemDetail } from './queries/detail.ts'
import { openProblemList } from './queries/list.ts'
import { openNamedProblem } from './queries/named.ts'

interface PortDeps {
  readonly write: Write
  readonly actions: ProblemActions
}

export function openProblemPort(context: StoreParts, { write, actions }: PortDeps): ProblemPort {
  return {
    list: openProblemList(context),
    detail: openProblemDetail(context),
    nextAt: context.problems.nextAt,
    named: openNamedProblem(context),
    ...inTransactions(write, actions),
  }
}
