import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import type { openAcknowledge } from '../incidents/acknowledge.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { PressedSilences } from '../noise/silences/open.ts'
import type { ProblemActions } from '../problems/operate.ts'
import { openAct } from './act.ts'
import { openCommands } from './commands.ts'
import type { Copies } from './copies.ts'
import { openDigestAnswers } from './digest.ts'
import { openAnswerList, openAnswersAfter } from './list.ts'
import { openAnswerRows } from './rows.ts'
import { openAnswerStates } from './states.ts'

interface AnswersDeps {
  readonly write: Write
  readonly incidents: ReturnType<typeof openAcknowledge>
  readonly actions: ProblemActions
  readonly answering: readonly ChannelName[]
  readonly copies: Copies
  readonly pressed: PressedSilences
}

/** Opens what people do to problems, from a message or without one, with the ledger of it. */
export function openAnswers(context: NoiseParts, { write, ...deps }: AnswersDeps) {
  const rows = openAnswerRows(context.db)
  const digests = openDigestAnswers(context, { ...deps, rows })
  const port = {
    list: openAnswerList(context.db),
    ...openAnswersAfter(context.db),
    // Durable when it returns. Silences have to be started.
    ...inTransactions(write, { answer: openAct(context, { ...deps, rows, digests }) }),
  }
  const withAnswers = openAnswerStates(context, { ...deps, rows })
  return { port, withAnswers, acknowledgeMore: digests.next, ...openCommands(context, { ...deps, rows }) }
}
