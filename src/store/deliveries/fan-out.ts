import type { Handout } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { STATE } from '../engine/column-codes.ts'
import type { Tools } from '../engine/context.ts'
import { type Parameter, readable } from '../engine/statement.ts'
import type { Arrival } from '../incidents/insert.ts'
import type { Threads } from './chat-threads.ts'
import type { Known } from './in-flight-cache.ts'

/** Whether the channel's sender has a free place for a content of so many bytes. */
export type Claim = (channel: ChannelName, bytes: number) => boolean

/** Where the deliveries of an incident begin. */
export function openPlacing({ tally, channels, underWay }: Tools, threads: Threads) {
  /** Decides for each channel between its sender and the disk, pushing what goes to a sender. */
  return function place(arrival: Arrival, claim: Claim, handouts: Handout[]): Parameter[] {
    const placed: Parameter[] = []
    const { draft, committedAt, targets } = arrival
    for (const channel of channels) {
      const lane = tally.lanes[channel]
      const target = targets?.[channel] ?? null
      if (lane.dueAt > committedAt && claim(channel, draft.content.byteLength)) {
        lane.sending++
        placed.push(STATE.sending, target)
        handouts.push(firstHandout(arrival, channel, threads))
        underWay.remember(arrival.incident, channel, knownOf(arrival, target))
      } else {
        lane.pending++
        lane.dueAt = Math.min(lane.dueAt, committedAt)
        placed.push(STATE.pending, target)
      }
    }
    return placed
  }
}

/** As it will be read. */
function knownOf({ draft, committedAt }: Arrival, target: string | null): Known {
  const { id, status, createdAt } = draft
  return {
    ...{ id, status, target, created_at: createdAt, next_attempt_at: committedAt },
    title: readable(draft.title),
    severity: readable(draft.severity),
    fingerprint: readable(draft.fingerprint),
    ...{ attempts: 0, earlier_attempts: 0, may_duplicate: 0 },
  }
}

function firstHandout({ draft, incident, committedAt, targets }: Arrival, channel: ChannelName, threads: Threads) {
  const target = targets?.[channel]
  const inReplyTo =
    draft.status === 'resolved' ? threads.messageId({ channel, fingerprint: draft.fingerprint, target }) : undefined
  return {
    ...draft,
    incident,
    channel,
    attempt: 1,
    mayDuplicate: false,
    ...{ committedAt, handedOutAt: committedAt },
    ...(target === undefined ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  } satisfies Handout
}
