import type { ChannelName } from '../../domain/delivery.ts'
import type { Dispatch, MessageDispatch } from '../../domain/dispatch.ts'
import { CHANNEL_CODE, DESTINATION_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Rooms } from '../engine/rooms.ts'
import { command, type Parameter, withoutNul } from '../engine/statement.ts'
import type { NewIncident } from '../incidents/insert.ts'
import type { ChatThreads } from './chat-threads.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'
import { LEASE_MS } from './lease.ts'
import { addPending } from './queues.ts'

/**
 * Opens `fanOut`, which makes the dispatches of an incident in one statement: one delivery for each enabled channel,
 * and its page.
 */
export function openFanOut(context: StoreContext, chatThreads: ChatThreads) {
  const { counts, channels, inFlight, now } = context
  const insert = openInsert(context)
  /**
   * Decides for each channel: to its sender now, when it has a free slot and no older delivery is due, or pending on
   * disk. Adds to `dispatches` what goes to a sender. Inside `write`.
   */
  return function fanOut(newIncident: NewIncident, rooms: Rooms, dispatches: Dispatch[]): void {
    const deliveryColumns: Parameter[] = []
    const { draft, incident, committedAt, targets, waitMs } = newIncident
    for (const channel of channels) {
      const queue = counts.queues.delivery[channel]
      const target = targets?.[channel] ?? null
      if (queue.dueAt > committedAt && rooms.take(channel, draft.content.byteLength)) {
        queue.sending++
        deliveryColumns.push(STATE.sending, target)
        dispatches.push({ ...firstDispatch(newIncident, channel, chatThreads), dispatchedAt: now() })
        inFlight.add(incident, channel, factsOf(newIncident, target))
      } else {
        addPending(queue, committedAt)
        deliveryColumns.push(STATE.pending, target)
      }
    }
    if (waitMs !== undefined) addPending(counts.queues.page.oncall, committedAt + waitMs)
    insert(newIncident, deliveryColumns)
  }
}

/** `deliveryColumns`: state and target of each enabled channel in turn. */
function openInsert({ db, channels, owner, now }: StoreContext) {
  const insertOf = (rows: readonly string[]) =>
    rows.length === 0
      ? undefined
      : command(
          db,
          `INSERT INTO dispatches (incident, kind, destination, number, due_at, state, target, lease_owner, lease_until, detail)
           VALUES ${rows.join(', ')}`,
        )
  const deliveries = channels.map((name, n) => {
    const [state, target] = [`?${4 + 2 * n}`, `?${5 + 2 * n}`]
    const ifSending = (value: string) => `iif(${state} = ${STATE.sending}, ${value}, NULL)`
    return `(?1, ${KIND.delivery}, ${CHANNEL_CODE[name]}, 0, ?2, ${state}, ${target}, ${ifSending(`${owner}`)}, ${ifSending('?3')}, NULL)`
  })
  const pageDueAt = `?${4 + 2 * channels.length}`
  const page = `(?1, ${KIND.page}, ${DESTINATION_CODE.oncall}, 0, ${pageDueAt}, ${STATE.pending}, NULL, NULL, NULL, '{"signal":"trigger"}')`
  const withoutPage = insertOf(deliveries)
  const withPage = insertOf([...deliveries, page])
  return ({ incident, committedAt, waitMs }: NewIncident, deliveryColumns: readonly Parameter[]) => {
    const [leaseUntil, pageDue] = [now() + LEASE_MS, committedAt + (waitMs ?? 0)]
    if (waitMs === undefined) withoutPage?.run(incident, committedAt, leaseUntil, ...deliveryColumns)
    else withPage?.run(incident, committedAt, leaseUntil, ...deliveryColumns, pageDue)
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
    due_at: committedAt,
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
): Omit<MessageDispatch, 'dispatchedAt'> {
  const target = targets?.[channel]
  const inReplyTo =
    draft.status === 'resolved' ? chatThreads.messageId({ channel, fingerprint: draft.fingerprint, target }) : undefined
  return {
    ...draft,
    kind: 'delivery',
    destination: channel,
    incident,
    number: 0,
    attempt: 1,
    mayDuplicate: false,
    committedAt,
    ...(target === undefined ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}
