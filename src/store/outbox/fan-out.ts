import type { ChannelName } from '../../domain/delivery.ts'
import { type Dispatch, type MessageDispatch, RANK, type Rank } from '../../domain/dispatch.ts'
import type { DecidedDestination } from '../../policy/decision.ts'
import { DESTINATION_CODE, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, queueOf } from '../engine/counts.ts'
import type { Rooms } from '../engine/rooms.ts'
import { type Command, command, type Parameter, withoutNul } from '../engine/statement.ts'
import type { NewIncident } from '../incidents/insert.ts'
import type { ChatThreads } from './chat-threads.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'
import { LEASE_MS } from './lease.ts'
import { addPending } from './queues.ts'

/** A delivery that is about to be made. */
interface NewDelivery {
  readonly lane: Lane<ChannelName>
  readonly rank: Rank
  readonly decided: DecidedDestination
}

/**
 * Opens `fanOut`, which makes the dispatches of an incident in one statement: one delivery for each destination that was
 * decided, and its page.
 */
export function openFanOut(context: StoreContext, chatThreads: ChatThreads) {
  const { counts, lanes, inFlight, now } = context
  const insert = openInsert(context)

  /** No delivery of the channel is due, or pending on disk since before `committedAt`. */
  function isFirst(channel: ChannelName, committedAt: number): boolean {
    for (const { code } of lanes.all(channel)) if (queueOf(counts, 'delivery', code).dueAt <= committedAt) return false
    return true
  }

  /**
   * Decides for each destination: to its sender now, when it has a free slot and no older delivery is due, or pending on
   * disk. Adds to `dispatches` what goes to a sender. Inside `write`.
   */
  return function fanOut(newIncident: NewIncident, rooms: Rooms, dispatches: Dispatch[]): void {
    const deliveryColumns: Parameter[] = []
    const { draft, incident, committedAt, decision } = newIncident
    for (const decided of decision.destinations) {
      const { channel, target } = decided
      const lane = lanes.find(channel, target)
      const rank = RANK.normal
      const queue = queueOf(counts, 'delivery', lane.code)
      const goesNow = isFirst(channel, committedAt) && rooms.take(channel, draft.content.byteLength)
      deliveryColumns.push(lane.code, goesNow ? STATE.sending : STATE.pending, target ?? null, rank)
      if (goesNow) {
        queue.sending++
        dispatches.push({
          ...firstDispatch(newIncident, { lane, rank, decided }, chatThreads),
          dispatchedAt: now(),
        })
        inFlight.add(incident, lane.code, factsOf(newIncident, target ?? null))
      } else {
        addPending(queue, committedAt)
      }
    }
    const { page } = decision
    if (page !== undefined) addPending(queueOf(counts, 'page', DESTINATION_CODE.oncall), committedAt + page.waitMs)
    insert(newIncident, deliveryColumns)
  }
}

/** Columns of one delivery: number of the destination, state, target and rank. */
const DELIVERY_COLUMNS = 4

/** `deliveryColumns`: those of each delivery in turn. One statement for each number of deliveries. */
function openInsert({ db, owner, now }: StoreContext) {
  const page = (dueAt: string) =>
    `(?1, ${KIND.page}, ${DESTINATION_CODE.oncall}, 0, ${dueAt}, ${STATE.pending}, NULL, ${RANK.normal}, NULL, NULL, '{"signal":"trigger"}')`
  const delivery = (nth: number) => {
    const [code, state, target, rank] = Array.from({ length: DELIVERY_COLUMNS }, (_, at) => `?${4 + nth + at}`)
    const ifSending = (value: string) => `iif(${state} = ${STATE.sending}, ${value}, NULL)`
    return `(?1, ${KIND.delivery}, ${code}, 0, ?2, ${state}, ${target}, ${rank}, ${ifSending(`${owner}`)}, ${ifSending('?3')}, NULL)`
  }
  const prepare = (columns: number, paging: boolean) => {
    const rows = Array.from({ length: columns / DELIVERY_COLUMNS }, (_, at) => delivery(DELIVERY_COLUMNS * at))
    if (paging) rows.push(page(`?${4 + columns}`))
    return command(
      db,
      `INSERT INTO dispatches (incident, kind, destination, number, due_at, state, target, rank, lease_owner, lease_until, detail)
       VALUES ${rows.join(', ')}`,
    )
  }
  const prepared = { paging: [] as Command[], quiet: [] as Command[] }
  return ({ incident, committedAt, decision }: NewIncident, deliveryColumns: readonly Parameter[]) => {
    const { page: paged } = decision
    const columns = deliveryColumns.length
    if (columns === 0 && paged === undefined) return
    const statements = paged === undefined ? prepared.quiet : prepared.paging
    statements[columns] ??= prepare(columns, paged !== undefined)
    const pageColumns = paged === undefined ? [] : [committedAt + paged.waitMs]
    statements[columns].run(incident, committedAt, now() + LEASE_MS, ...deliveryColumns, ...pageColumns)
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
  { draft, incident, committedAt }: NewIncident,
  { lane, rank, decided: { channel, target, template } }: NewDelivery,
  chatThreads: ChatThreads,
): Omit<MessageDispatch, 'dispatchedAt'> {
  const inReplyTo =
    draft.status === 'resolved' ? chatThreads.messageId({ channel, fingerprint: draft.fingerprint, target }) : undefined
  return {
    ...draft,
    kind: 'delivery',
    destination: channel,
    code: lane.code,
    rank,
    incident,
    number: 0,
    attempt: 1,
    mayDuplicate: false,
    committedAt,
    ...(target === undefined ? undefined : { target }),
    ...(template === undefined ? undefined : { template }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}
