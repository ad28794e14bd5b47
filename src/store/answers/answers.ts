import { inTransactions, type Write } from '../engine/transaction.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { openAct } from './act.ts'
import { openCommands } from './commands.ts'
import { openDigestAnswers } from './digest.ts'
import { openAnswerList, openAnswersAfter } from './list.ts'
import type { AnswerDeps } from './parts.ts'
import { openAnswerRows } from './rows.ts'
import { openAnswerStates } from './states.ts'

/** Opens what people do to problems, from a message or without one, with the ledger of it. */
export function openAnswers(context: NoiseParts, write: Write, deps: AnswerDeps) {
  const parts = { ...context, ...deps, rows: openAnswerRows(context.db) }
  const digests = openDigestAnswers(parts)
  const port = {
    list: openAnswerList(context.db),
    ...openAnswersAfter(context.db),
    // Durable when it returns. Silences have to be started.
    ...inTransactions(write, { answer: openAct(parts, digests) }),
  }
  return { port, withAnswers: openAnswerStates(parts), acknowledgeMore: digests.next, ...openCommands(parts) }
}
