import type { Supervisor } from '../../src/kernel/supervisor.ts'
import type { AgentQueries } from '../messages/agent-queries.ts'
import type { FrontQueries } from '../messages/front-queries.ts'
import type { JournalQueries } from '../messages/journal-queries.ts'
import { type Ask, typedAsk } from '../messages/query.ts'
import type { SendQueries } from '../messages/send-queries.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'

type Asker = Pick<Supervisor, 'ask'>

/**
 * Main's questions to the actors of other threads. `deadlineMs` holds for a question that brings no deadline of its
 * own. Each rejects with `ask_timeout`, `peer_down`, or the error that the actor threw.
 */
export const createAskStorage = (supervisor: Asker, deadlineMs: number) =>
  createAsk<StorageQueries>(supervisor, { thread: 'store', actor: 'storage', deadlineMs })

export const createAskJournal = (supervisor: Asker, deadlineMs: number) =>
  createAsk<JournalQueries>(supervisor, { thread: 'journal', actor: 'journal', deadlineMs })

export const createAskSenders = (supervisor: Asker, deadlineMs: number) =>
  createAsk<SendQueries>(supervisor, { thread: 'send', actor: 'senders', deadlineMs })

export const createAskAgent = (supervisor: Asker, deadlineMs: number) =>
  createAsk<AgentQueries>(supervisor, { thread: 'agent', actor: 'agent', deadlineMs })

export const createAskFront = (supervisor: Asker, thread: string, deadlineMs: number) =>
  createAsk<FrontQueries>(supervisor, { thread, actor: 'front', deadlineMs })

/** The questions of the admin API. */
export const createAsks = (supervisor: Asker, deadlineMs: number) => ({
  askStorage: createAskStorage(supervisor, deadlineMs),
  askJournal: createAskJournal(supervisor, deadlineMs),
  askSenders: createAskSenders(supervisor, deadlineMs),
  askAgent: createAskAgent(supervisor, deadlineMs),
})

interface Receiver {
  readonly thread: string
  readonly actor: string
  readonly deadlineMs: number
}

function createAsk<Q>(supervisor: Asker, { thread, actor, deadlineMs }: Receiver): Ask<Q> {
  return typedAsk<Q>((query, ownMs = deadlineMs) => supervisor.ask(thread, actor, query, ownMs))
}
