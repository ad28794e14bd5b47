import type { ChannelName, Destination } from '../../domain/delivery.ts'
import type { Dispatch, DispatchKey, MessageDispatch, Page } from '../../domain/dispatch.ts'
import { CHANNEL_CODE, KIND } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Payloads } from '../journal/payloads.ts'
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

function openClaimDeliveries(context: StoreContext, { leases, payloads }: ClaimDeps) {
  const { db, counts, inFlight, now } = context
  const { refreshNextDue } = openQueues(context)
  const due = openDue(context)
  const chatThreads = openChatThreads(db)
  return function claimDeliveries(channel: ChannelName, { slots, maxBytes }: Capacity): MessageDispatch[] {
    if (slots < 1 || counts.queues.delivery[channel].dueAt > now()) return []
    const rows = upTo(maxBytes, due.iterate(KIND.delivery, CHANNEL_CODE[channel], now(), slots))
    for (const row of rows) {
      leases.take(keyOf(row, 'delivery', channel))
      inFlight.add(row.incident, channel, factsOf(row))
    }
    refreshNextDue('delivery', channel)
    const dispatchedAt = now()
    return rows.map((row) => ({
      ...deliveryDispatch(row, channel, chatThreads),
      content: payloads.of(row),
      dispatchedAt,
    }))
  }
}

/** Follow-ups that are due and too old are deleted. */
function openClaimFollowUps(context: StoreContext, { leases }: ClaimDeps) {
  const { counts, now } = context
  const { refreshNextDue } = openQueues(context)
  const due = openDue(context)
  return function claimFollowUps(channel: ChannelName, slots: number): MessageDispatch[] {
    if (slots < 1 || counts.queues['follow-up'][channel].dueAt > now()) return []
    const dispatches: MessageDispatch[] = []
    for (const row of due.all(KIND['follow-up'], CHANNEL_CODE[channel], now(), slots)) {
      const detail: FollowUpDetail = JSON.parse(row.detail ?? '')
      if (isStale(detail, now())) leases.remove(keyOf(row, 'follow-up', channel), 'pending')
      else {
        leases.take(keyOf(row, 'follow-up', channel))
        dispatches.push(followUpDispatch(row, detail, { channel, now: now() }))
      }
    }
    refreshNextDue('follow-up', channel)
    return dispatches
  }
}

const keyOf = (
  { incident, number }: DueRow,
  kind: DispatchKey['kind'],
  destination: DispatchKey['destination'],
): DispatchKey => ({ kind, destination, incident, number })

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
  channel: ChannelName,
  chatThreads: ChatThreads,
): Omit<MessageDispatch, 'dispatchedAt' | 'content'> {
  const { incident, number, id, source, sender, title, service, severity, status, fingerprint, target } = row
  const inReplyTo = status === 'resolved' ? chatThreads.messageId({ channel, fingerprint, target }) : undefined
  return {
    kind: 'delivery',
    destination: channel,
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
