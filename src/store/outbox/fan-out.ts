import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { type Dispatch, type MessageDispatch, RANK, type Rank } from '../../domain/delivery/dispatch.ts'
import type { DecidedDestination } from '../../policy/decision.ts'
import type { Recurrence } from '../bundles/arrivals.ts'
import type { GroupArrival } from '../bundles/groups.ts'
import { NORMAL_SINGLE, type Placement } from '../bundles/placement.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, type QueuedKind, queueOf } from '../engine/counts.ts'
import type { Rooms } from '../engine/rooms.ts'
import type { Parameter } from '../engine/sql.ts'
import { type Command, withoutNul } from '../engine/statement.ts'
import type { NewIncident } from '../incidents/insert.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { Tellings } from '../tellings/tellings.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'
import { LEASE_MS } from './lease.ts'
import { addPending } from './queues.ts'

/** A silence keeps the delivery from its destination: until its end, or for good. */
export type Silenced = { readonly kind: 'held' | 'silenced' }

/** A delivery that is about to be made. */
export interface PlannedDelivery {
  readonly lane: Lane<ChannelName>
  readonly placement: Placement | Silenced
  readonly decided: DecidedDestination
}

/**
 * Opens `plan`, which places the deliveries of an incident under the storm rules, and `fanOut`, which makes its
 * deliveries in one statement: one for each destination that was decided. Inside `write`.
 */
export function openFanOut(context: NoiseParts) {
  const { counts, lanes, inFlight, owner, now, tellings, storms, bundles } = context
  const insert = openInsert(context)

  const isDue = (kind: QueuedKind, { code }: Lane, at: number) => queueOf(counts, kind, code).dueAt <= at

  /**
   * True when no delivery that goes before it is due. Without storm rules the deliveries of a channel share its slots, so
   * those of its other destinations count too.
   */
  function isNext(lane: Lane<ChannelName>, rank: Rank, committedAt: number): boolean {
    if (storms.isRuled(lane)) {
      if (isDue('urgent', lane, committedAt)) return false
      return rank === RANK.urgent || (!isDue('delivery', lane, committedAt) && storms.window(lane) > 0)
    }
    for (const each of lanes.all(lane.destination))
      if (isDue('delivery', each, committedAt) && storms.window(each) > 0) return false
    return true
  }

  function insertSingle(
    newIncident: NewIncident,
    { lane, decided }: PlannedDelivery,
    { rank, rooms, dispatches }: { readonly rank: Rank; readonly rooms: Rooms; readonly dispatches: Dispatch[] },
  ): number {
    const { draft, incident, committedAt } = newIncident
    const { channel, target = null } = decided
    const queue = queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', lane.code)
    if (!isNext(lane, rank, committedAt) || !rooms.take(channel, draft.content.byteLength)) {
      addPending(queue, committedAt)
      return STATE.pending
    }
    queue.sending++
    const told = bundles.notes.ofMessage({ ...draft, incident, committedAt, code: lane.code })
    dispatches.push({
      ...firstDispatch(newIncident, { lane, decided, rank }, tellings),
      ...(storms.isStormy(lane) ? { storm: true } : undefined),
      ...told,
      dispatchedAt: now(),
    })
    inFlight.add(incident, lane.code, factsOf(newIncident, target, rank))
    return STATE.sending
  }

  return {
    /**
     * `silencing`: what a silence that fits the incident does; undefined: it has no say. `recurrence`: how it stands to
     * its problem; undefined: every repeat is a message. `group`: undefined, it is in none.
     */
    plan(
      { draft, problem, incident, committedAt, decision: { destinations, priority } }: Undecided,
      silencing?: (lane: Lane<ChannelName>) => Silenced | undefined,
      { recurrence, group }: Standing = {},
    ): PlannedDelivery[] {
      const placeOne = (lane: Lane<ChannelName>) =>
        storms.isRuled(lane)
          ? storms.place(lane, { ...draft, problem, incident, priority, committedAt, isRepeat: recurrence?.isRepeat })
          : NORMAL_SINGLE
      const taken = new Set<number>()
      return destinations.flatMap((wanted) => {
        const lane = lanes.find(wanted.channel, wanted.target, incident)
        if (taken.has(lane.code)) return []
        taken.add(lane.code)
        const { target, ...others } = wanted
        const decided = target === lane.target ? wanted : others
        const single = () => placeOne(lane)
        const placement = silencing?.(lane) ?? group?.place(lane, single) ?? recurrence?.place(lane) ?? single()
        recurrence?.placed(lane, placement)
        group?.placed(lane, placement)
        return [{ lane, placement, decided }]
      })
    },
    /** Adds to `dispatches` what goes to a sender now: when it has a free slot and nothing goes before. */
    fanOut(newIncident: NewIncident, planned: readonly PlannedDelivery[], rooms: Rooms, dispatches: Dispatch[]): void {
      const deliveryColumns: Parameter[] = []
      for (const delivery of planned) {
        const { lane, placement } = delivery
        const target = lane.target ?? null
        if (placement.kind === 'fold') {
          const { bundle, place } = placement
          deliveryColumns.push(lane.code, null, STATE.folded, target, RANK.normal, bundle, place, null, null)
        } else if (placement.kind !== 'single')
          deliveryColumns.push(lane.code, null, STATE[placement.kind], target, RANK.normal, null, null, null, null)
        else {
          const { rank } = placement
          const state = insertSingle(newIncident, delivery, { rank, rooms, dispatches })
          const lease = state === STATE.sending ? [owner, now() + LEASE_MS] : [null, null]
          deliveryColumns.push(lane.code, newIncident.committedAt, state, target, rank, null, null, ...lease)
        }
      }
      insert(newIncident.incident, deliveryColumns)
    },
  }
}

/** How an incident stands to its problem, and to its group. */
interface Standing {
  readonly recurrence?: Recurrence | undefined
  readonly group?: GroupArrival | undefined
}

type Undecided = Pick<NewIncident, 'draft' | 'problem' | 'incident' | 'committedAt' | 'decision'>

/** Columns of one delivery: number of the destination, due time, state, target, rank, bundle, place, lease. */
const DELIVERY_COLUMNS = 9

/** `deliveryColumns`: those of each delivery in turn. One statement for each number of deliveries. */
function openInsert({ db }: StoreContext) {
  const delivery = (nth: number) => {
    const [code, ...others] = Array.from({ length: DELIVERY_COLUMNS }, (_, at) => `?${2 + nth + at}`)
    return `(?1, ${KIND.delivery}, ${code}, 0, ${others.join(', ')})`
  }
  const prepare = (columns: number) => {
    const rows = Array.from({ length: columns / DELIVERY_COLUMNS }, (_, at) => delivery(DELIVERY_COLUMNS * at))
    return db.command(
      `INSERT INTO dispatches (incident, kind, destination, number, due_at, state, target, rank, bundle, place, lease_owner, lease_until)
       VALUES ${rows.join(', ')}`,
    )
  }
  const prepared: Command[] = []
  return (incident: number, deliveryColumns: readonly Parameter[]) => {
    const columns = deliveryColumns.length
    if (columns === 0) return
    prepared[columns] ??= prepare(columns)
    prepared[columns].run(incident, ...deliveryColumns)
  }
}

/** The facts as a query would read them from the rows. */
function factsOf({ draft, committedAt }: NewIncident, target: string | null, rank: Rank): DeliveryFacts {
  const { id, status, createdAt } = draft
  return {
    ...{ id, status, target, created_at: createdAt, due_at: committedAt },
    title: withoutNul(draft.title),
    severity: withoutNul(draft.severity),
    fingerprint: withoutNul(draft.fingerprint),
    ...{ attempts: 0, earlier_attempts: 0, may_duplicate: 0, rank, silence: null },
  }
}

function firstDispatch(
  { draft, incident, committedAt, page, problem }: NewIncident,
  { lane, rank, decided: { channel, target, template } }: Omit<PlannedDelivery, 'placement'> & { readonly rank: Rank },
  tellings: Pick<Tellings, 'messageId'>,
): Omit<MessageDispatch, 'dispatchedAt'> {
  const inReplyTo = draft.status === 'resolved' ? tellings.messageId(draft.fingerprint, lane.code) : undefined
  return {
    ...draft,
    kind: 'delivery',
    ...{ destination: channel, code: lane.code, rank, incident, committedAt, problem },
    ...{ number: 0, attempt: 1, mayDuplicate: false },
    ...(page === undefined || page.phase === 'joined' ? undefined : { pages: true }),
    ...(target === undefined ? undefined : { target }),
    ...(template === undefined ? undefined : { template }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}
