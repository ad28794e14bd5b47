import type { Supervisor } from '../../src/kernel/supervision/supervisor.ts'
import type { AgentQueries } from '../messages/agent-queries.ts'
import type { FrontQueries } from '../messages/front-queries.ts'
import type { JournalQueries } from '../messages/journal-queries.ts'
import { typedAsk } from '../messages/query.ts'
import type { SendQueries } from '../messages/send-queries.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'

/**
 * Main's questions to the actors of other threads. `deadlineMs` holds for a question that brings no deadline of its
 * own. Each rejects with `ask_timeout`, `peer_down`, or the error that the actor threw.
 */
export function createAsks(supervisor: Pick<Supervisor, 'ask'>, deadlineMs: number) {
  const askOf = <Q>(thread: string, actor: string) =>
    typedAsk<Q>((query, ownMs = deadlineMs) => supervisor.ask(thread, actor, query, ownMs))
  return {
    askStorage: askOf<StorageQueries>('store', 'storage'),
    askJournal: askOf<JournalQueries>('journal', 'journal'),
    askSenders: askOf<SendQueries>('send', 'senders'),
    askAgent: askOf<AgentQueries>('agent', 'agent'),
    askFront: (thread: string) => askOf<FrontQueries>(thread, 'front'),
  }
}
