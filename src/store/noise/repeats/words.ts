import { RANK } from '../../../domain/dispatch.ts'
import type { Lane } from '../../engine/counts.ts'
import type { MessageRow } from '../../outbox/delivery-dispatch.ts'
import type { DueRow } from '../../outbox/due.ts'
import type { Problems } from '../../problems/problems.ts'
import type { RepeatBundle } from './rows.ts'

/** The incident whose words a revision has; `content` replaces the payload of one that is not stored. */
export type Words = { readonly row: DueRow } | { readonly row: MessageRow; readonly content: Uint8Array }

/**
 * Opens the words of a bundle whose incidents retention has deleted: what its problem knows of the latest one, as a payload.
 * They are undefined when the problem was deleted too.
 */
export const openWordsOfProblem =
  (problems: Pick<Problems, 'find'>) =>
  ({ code, target }: Lane, { subject }: RepeatBundle): Words | undefined => {
    const problem = problems.find(subject)
    if (problem === undefined) return undefined
    const { title, service, severity, state: status, sender, source, fingerprint, lastAt: at } = problem
    const words = { title, service, severity, status }
    const row = {
      ...{ ...words, sender, source, fingerprint, id: problem.lastId, incident: problem.lastIncident },
      ...{ created_at: at, committed_at: at, destination: code, target: target ?? null },
      ...{ rank: RANK.low, number: 0, attempts: 0, may_duplicate: 0, pages: 0, decision: null },
    }
    return { row, content: new TextEncoder().encode(JSON.stringify(words)) }
  }
