import type { ChannelName, Destination } from '../../domain/delivery.ts'
import { type Dispatch, type DispatchKey, type MessageDispatch, type Page, RANK } from '../../domain/dispatch.ts'
import { KIND } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, type QueuedKind, queueOf } from '../engine/counts.ts'
import type { Payloads } from '../journal/payloads.ts'
import type { Decisions } from '../noise/decisions.ts'
import type { Capacity, Claimed } from '../ports/outbox.ts'
import { type ChatThreads, openChatThreads } from './chat-threads.ts'
import { type DueRow, openDue } from './due.ts'
import { type FollowUpDetail, followUpDispatch, isStale } from './follow-ups.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'
import type { Leases } from './lease.ts'
import type { Notices } from './notices.ts'
import { openQueues } from './queues.ts'

interface ClaimDeps {
  readonly leases: Pick<Leases, 'take' | 'remove'>
  readonly notices: Pick<Notices, 'claim'>
  readonly payloads: Pick<Payloads, 'of'>
  readonly decisions: Pick<Decisions, 'templateOf'>
  claimPages(slots: number): Page[]
}

/**
 * Opens the claim: leases to each destination what is due. Notices come first, then follow-ups, then deliveries; a
 * destination for which nothing is due costs no query. Inside `write`.
 */
export function openClaim(context: StoreContext, deps: ClaimDeps) {
  const claimDeliveries = openClaimDeliveries(context, deps)
  const claimFollowUps = openClaimFollowUps(context, deps)

  return function claim(capacity: ReadonlyMap<Destination, Capacity>): Claimed {
    const { dispatches: notices, stuck } = deps.notices.claim((channel) => capacity.get(channel)?.slots ?? 0)
    const dispatches: Dispatch[] = [...notices]
    for (const [destination, { slots, maxBytes }] of capacity) {
      if (destination === 'oncall') {
        dispatches.push(...deps.claimPages(slots))
        continue
      }
      const taken = notices.filter((notice) => notice.destination === destination).length
      const followUps = claimFollowUps(destination, slots - taken)
      dispatches.push(...followUps)
      dispatches.push(...claimDeliveries(destination, { slots: slots - taken - followUps.length, maxBytes }))
    }
    return { dispatches, stuck }
  }
}

function openClaimDeliveries(context: StoreContext, { leases, payloads, decisions }: ClaimDeps) {
  const { db, lanes, inFlight, now } = context
  const { refreshNextDue } = openQueues(context)
  const dueRows = openDueRows(context)
  const chatThreads = openChatThreads(db)
  return function claimDeliveries(channel: ChannelName, { slots, maxBytes }: Capacity): MessageDispatch[] {
    if (slots < 1) return []
    const { due, rows } = dueRows('delivery', channel, slots)
    const claimed = upTo(maxBytes, rows)
    for (const row of claimed) {
      leases.take(keyOf(row, 'delivery', channel))
      inFlight.add(row.incident, row.destination, factsOf(row))
    }
    for (const { code } of due) refreshNextDue('delivery', code)
    const dispatchedAt = now()
    return claimed.map((row) => {
      const lane = lanes.ofChannel(row.destination)
      const template = decisions.templateOf(row.decision, lane)
      return {
        ...deliveryDispatch(row, lane, chatThreads),
        ...(template === undefined ? undefined : { template }),
        content: payloads.of(row),
        dispatchedAt,
      }
    })
  }
}

/** Follow-ups that are due and too old are deleted. */
function openClaimFollowUps(context: StoreContext, { leases }: ClaimDeps) {
  const { lanes, now } = context
  const { refreshNextDue } = openQueues(context)
  const dueRows = openDueRows(context)
  return function claimFollowUps(channel: ChannelName, slots: number): MessageDispatch[] {
    if (slots < 1) return []
    const dispatches: MessageDispatch[] = []
    const { due, rows } = dueRows('follow-up', channel, slots)
    for (const row of [...rows]) {
      const detail: FollowUpDetail = JSON.parse(row.detail ?? '')
      if (isStale(detail, now())) leases.remove(keyOf(row, 'follow-up', channel), 'pending')
      else {
        leases.take(keyOf(row, 'follow-up', channel))
        dispatches.push(followUpDispatch(row, detail, { lane: lanes.ofChannel(row.destination), now: now() }))
      }
    }
    for (const { code } of due) refreshNextDue('follow-up', code)
    return dispatches
  }
}

/** Opens the read of the due rows of a channel's destinations, at most `slots` of them, in order. */
function openDueRows({ counts, lanes, now, db }: StoreContext) {
  const due = openDue(db)
  return (kind: QueuedKind, channel: ChannelName, slots: number): { due: readonly Lane[]; rows: Iterable<DueRow> } => {
    const dueLanes = lanes.all(channel).filter(({ code }) => queueOf(counts, kind, code).dueAt <= now())
    const [one, ...others] = dueLanes.map(({ code }) => due.iterate(KIND[kind], code, RANK.normal, now(), slots))
    if (one === undefined) return { due: dueLanes, rows: [] }
    if (others.length === 0) return { due: dueLanes, rows: one }
    const rows = [one, ...others].flatMap((of) => [...of]).sort((a, b) => dueOrder(a, b))
    return { due: dueLanes, rows: rows.slice(0, slots) }
  }
}

const dueOrder = (a: DueRow, b: DueRow) =>
  (a.due_at ?? 0) - (b.due_at ?? 0) || a.incident - b.incident || a.destination - b.destination

const keyOf = (
  { incident, number, destination: code }: DueRow,
  kind: DispatchKey['kind'],
  destination: DispatchKey['destination'],
): DispatchKey => ({ kind, destination, code, incident, number })

/** All that settling needs; the payload is left out, because it is large and belongs to the sender. */
function factsOf(row: DueRow): DeliveryFacts {
  const { id, title, severity, created_at, status, fingerprint, target } = row
  const { attempts, earlier_attempts, may_duplicate, due_at } = row
  return {
    id,
    title,
    severity,
    created_at,
    status,
    fingerprint,
    target,
    attempts,
    earlier_attempts,
    may_duplicate,
    due_at,
  }
}

/** Rows whose payloads fit `maxBytes` together. The first one always goes: alone it would never fit. */
function upTo(maxBytes: number, rows: Iterable<DueRow>): DueRow[] {
  const claimed: DueRow[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.content_bytes
    if (claimed.length > 0 && bytes > maxBytes) break
    claimed.push(row)
  }
  return claimed
}

function deliveryDispatch(
  row: DueRow,
  { destination: channel }: Lane<ChannelName>,
  chatThreads: ChatThreads,
): Omit<MessageDispatch, 'dispatchedAt' | 'content'> {
  const { incident, number, id, source, sender, title, service, severity, status, fingerprint, target } = row
  const inReplyTo = status === 'resolved' ? chatThreads.messageId({ channel, fingerprint, target }) : undefined
  return {
    kind: 'delivery',
    destination: channel,
    code: row.destination,
    rank: row.rank,
    incident,
    number,
    id,
    source,
    sender,
    title,
    service,
    severity,
    status,
    fingerprint,
    createdAt: row.created_at,
    committedAt: row.committed_at,
    attempt: row.attempts + 1,
    mayDuplicate: row.may_duplicate === 1,
    ...(target === null ? undefined : { target }),
    ...(inReplyTo === undefined ? undefined : { inReplyTo }),
  }
}
