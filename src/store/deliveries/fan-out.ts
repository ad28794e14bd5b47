import type { Dispatch } from '../../domain/commit.ts'
import type { ChannelName } from '../../domain/delivery.ts'
import { STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Rooms } from '../engine/rooms.ts'
import { type Parameter, withoutNul } from '../engine/statement.ts'
import type { NewIncident } from '../incidents/insert.ts'
import type { ChatThreads } from './chat-threads.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'

/** Opens `fanOut`, which makes one delivery of an incident for each enabled channel. */
export function openFanOut({ counts, channels, inFlight, now }: StoreContext, chatThreads: ChatThreads) {
  /**
   * Decides for each channel: to its sender now, when it has a free slot and no older delivery is due, or pending on
   * disk. Adds to `dispatches` what goes to a sender; returns the columns of the delivery rows, two for each channel.
   * Inside `write`.
   */
  return function fanOut(newIncident: NewIncident, rooms: Rooms, dispatches: Dispatch[]): Parameter[] {
    const deliveryColumns: Parameter[] = []
    const { draft, committedAt, targets } = newIncident
    for (const channel of channels) {
      const queue = counts.queues[channel]
      const target = targets?.[channel] ?? null
      if (queue.dueAt > committedAt && rooms.take(channel, draft.content.byteLength)) {
        queue.sending++
        deliveryColumns.push(STATE.sending, target)
        dispatches.push({ ...firstDispatch(newIncident, channel, chatThreads), dispatchedAt: now() })
        inFlight.add(newIncident.incident, channel, factsOf(newIncident, target))
      } else {
        queue.pending++
        queue.dueAt = Math.min(queue.dueAt, committedAt)
        deliveryColumns.push(STATE.pending, target)
      }
    }
    return deliveryColumns
  }
}

/** The facts as a query would read them from the rows. */
function factsOf({ draft, committedAt }: NewIncident, target: string | null): DeliveryFacts {
  const { id, status, createdAt } = draft
  return {
    id,
    status,
    target,
    created_at: createdAt,
    next_attempt_at: committedAt,
    title: withoutNul(draft.title),
    severity: withoutNul(draft.severity),
    fingerprint: withoutNul(draft.fingerprint),
    attempts: 0,
    earlier_attempts: 0,
    may_duplicate: 0,
  }
}

function firstDispatch(
  { draft, incident, committedAt, targets }: NewIncident,
  channel: ChannelName,
  chatThreads: ChatThreads,
) {
  const target = targets?.[channel]
  const inReplyTo =
    draft.status === 'resolved' ? chatThreads.messageId({ channel, fingerprint: draft.fingerprint, target }) : undefined
  return {
    ...draft,
    incident,
    channel,
    attempt: 1,
    mayDuplicate: false,
    committedAt,
    ...(target === undefined ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  } satisfies Omit<Dispatch, 'dispatchedAt'>
}
