import { type ReplySections, replyLines } from '../../brief/text.ts'
import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type MessageDispatch, RANK } from '../../domain/delivery/dispatch.ts'
import type { Problem } from '../../policy/problem.ts'
import { isoTime } from '../../text/iso-time.ts'
import type { Lane } from '../engine/counts.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { type DueRow, keyOf } from '../outbox/due.ts'
import { type FollowUpDetail, followUpDispatch } from '../outbox/follow-ups.ts'
import type { DeliveryFacts } from '../outbox/in-flight-cache.ts'
import { openBriefSections } from './brief.ts'

/** `noise.brief` with `mode: thread`. */
export interface BriefReplyRules {
  /** Time from the message to its reply. */
  readonly afterMs: number
  /** The quietest level that has a reply: 0, the loudest, to 4. */
  readonly minLevel: number
}

/** A reply that is not sent within this time is dropped. */
const FRESH_MS = 600_000
const SECTIONS: ReadonlySet<string> = new Set(['before', 'notes', 'nearby', 'changes'])

type SentRow = Pick<DeliveryFacts, 'fingerprint' | 'target' | 'earlier_attempts'>

/**
 * Replies with the brief in the threads of the messages that told of a problem, one for each opening and destination.
 * States: `pending`, `sending`; the row is deleted when it was sent, is dead, or is dropped: the problem is over or
 * has another opening, its destination is in a storm, an earlier attempt may have arrived, nothing is known, or 10 minutes are over. A reply is
 * made as it is claimed. Inside `write`.
 */
export type BriefReplies = ReturnType<typeof openBriefReplies>
export type OpenBriefReplies = typeof openBriefReplies

export function openBriefReplies(context: NoiseParts, { afterMs, minLevel }: BriefReplyRules) {
  const { problems, storms, followUps, leases, now } = context
  const sectionsOf = openBriefSections(context)

  /** Returns the problem while the incident is the one that opened it, and it deserves a reply. */
  function problemOf(incident: number, fingerprint: string, lane: Lane): Problem | undefined {
    const problem = problems.find(fingerprint)
    if (problem?.state !== 'firing' || problem.opening !== incident) return undefined
    return problem.level > minLevel || storms.isStormy(lane) ? undefined : problem
  }

  function textOf(row: DueRow, { raised_at }: FollowUpDetail, lane: Lane): string | undefined {
    const isFresh = Math.abs(now() - raised_at) <= FRESH_MS && row.may_duplicate === 0
    const problem = isFresh ? problemOf(row.incident, row.fingerprint, lane) : undefined
    if (problem === undefined) return undefined
    const found = sectionsOf(problem.id)?.sections.filter(({ name }) => SECTIONS.has(name)) ?? []
    // These sections are read in one step each.
    const sections: ReplySections = Object.assign({}, ...found.map(({ read }) => read(() => Promise.resolve())))
    const lines = replyLines(sections, isoTime(problem.openedAt), now())
    return lines.length === 0 ? undefined : lines.join('\n')
  }

  return {
    /** Adds the reply of a message that was sent just now. */
    sent(lane: Lane<ChannelName>, incident: number, row: SentRow, messageId: string) {
      const { fingerprint, target, earlier_attempts } = row
      // A person sends it once more: the first message may have its reply.
      if (earlier_attempts > 0 || !followUps.hasThreads(lane.destination)) return
      if (problemOf(incident, fingerprint, lane) === undefined) return
      const detail: FollowUpDetail = { reply_to: messageId, word: 'brief', person: '', raised_at: now() }
      followUps.add({ incident, lane, target, detail, rank: RANK.low, dueAt: now() + afterMs })
    },
    /** Leases a reply that is due, or drops it. */
    take(row: DueRow, lane: Lane<ChannelName>): MessageDispatch[] {
      const { rank, problem } = row
      const key = keyOf(row, 'follow-up', lane.destination)
      const detail: FollowUpDetail = JSON.parse(row.detail ?? '')
      const text = textOf(row, detail, lane)
      if (text === undefined) {
        leases.remove(key, 'pending', rank)
        return []
      }
      leases.take(key, rank)
      return [{ ...followUpDispatch(row, { ...detail, text, problem }, { lane, now: now() }), rank: RANK.low }]
    },
  }
}
