import type { ChannelName, Destination } from '../../domain/delivery/delivery.ts'
import { type Dispatch, type MessageDispatch, type Page, RANK } from '../../domain/delivery/dispatch.ts'
import { KIND } from '../engine/column-codes.ts'
import { type Lane, type QueuedKind, queueOf } from '../engine/counts.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { Holding } from '../noise/silences/holding.ts'
import type { Capacity } from '../ports/outbox.ts'
import { deliveryDispatch } from './delivery-dispatch.ts'
import { type DueRow, keyOf, openDue } from './due.ts'
import type { Edits } from './edits.ts'
import { type FollowUpDetail, followUpDispatch, isStale } from './follow-ups.ts'
import { openQueues, RANKS_OF } from './queues.ts'

interface ClaimDeps {
  /** Holds deliveries that a silence fits which is just opening. */
  holdDue: Holding['due']
  readonly edits: Pick<Edits, 'take' | 'claim'>
  claimPages(slots: number): Page[]
}

/**
 * Opens the claim: leases to each destination what is due. Notices come first, then follow-ups, digests, deliveries, repeats and
 * edits; a destination for which nothing is due costs no query. Inside `write`.
 */
export function openClaim(context: NoiseParts, deps: ClaimDeps) {
  const claimDeliveries = openClaimDeliveries(context, deps)
  const claimFollowUps = openClaimFollowUps(context, deps)

  return function claim(capacity: ReadonlyMap<Destination, Capacity>) {
    const { dispatches: notices, stuck } = context.notices.claim((channel) => capacity.get(channel)?.slots ?? 0)
    const dispatches: Dispatch[] = [...notices]
    for (const [destination, { slots, maxBytes }] of capacity) {
      if (destination === 'oncall') {
        const calls = context.accounts.claim(destination, slots)
        dispatches.push(...calls, ...deps.claimPages(slots - calls.length))
        continue
      }
      const taken = notices.filter((notice) => notice.destination === destination).length
      const end = dispatches.length + slots - taken
      const claims = [
        ...[context.accounts.claim, claimFollowUps, context.bundles.claimDigests],
        (channel: ChannelName, left: number) => claimDeliveries(channel, { slots: left, maxBytes }),
        ...[context.bundles.claim, deps.edits.claim],
      ]
      for (const claimSome of claims) dispatches.push(...claimSome(destination, end - dispatches.length))
    }
    return { dispatches, stuck }
  }
}

function openClaimDeliveries(context: NoiseParts, deps: ClaimDeps) {
  const { holdDue } = deps
  const { counts, lanes, inFlight, now, leases, payloads, decisions, tellings, storms, bundles } = context
  const { refreshDeliveries } = openQueues(context)
  const dueDeliveries = openDueDeliveries(context)
  return function claimDeliveries(channel: ChannelName, { slots, maxBytes }: Capacity): MessageDispatch[] {
    if (slots < 1) return []
    const due = upTo(maxBytes, dueDeliveries(channel, slots))
    const touched = new Set(due.map(({ destination }) => destination))
    const claimed = counts.silences.opening.length === 0 ? due : holdDue(due)
    for (const row of claimed) {
      leases.take(keyOf(row, 'delivery', channel), row.rank)
      inFlight.add(row.incident, row.destination, row)
    }
    for (const code of touched) refreshDeliveries(code)
    const dispatchedAt = now()
    return claimed.map((row) => {
      const lane = lanes.ofChannel(row.destination)
      const template = decisions.templateOf(row.decision, lane)
      const told = bundles.notes.ofMessage({ ...row, code: lane.code, committedAt: row.committed_at })
      return {
        ...deliveryDispatch(row, lane, tellings),
        ...told,
        ...(template === undefined ? undefined : { template }),
        ...(storms.isStormy(lane) ? { storm: true } : undefined),
        content: payloads.of(row),
        dispatchedAt,
      }
    })
  }
}

/**
 * Opens the read of a channel's due deliveries, at most `slots` of them: by rank, then by due time. Of those of a
 * destination under storm rules that are not urgent, only as many as its window takes.
 */
function openDueDeliveries({ counts, lanes, now, db, storms }: NoiseParts) {
  const due = openDue(db)
  const isDue = (kind: QueuedKind, { code }: Lane) => queueOf(counts, kind, code).dueAt <= now()

  function* rowsOf(lane: Lane, slots: number): Generator<DueRow> {
    const read = (rank: number, limit: number) => due.all(KIND.delivery, lane.code, rank, now(), limit)
    if (isDue('urgent', lane)) yield* read(RANK.urgent, slots)
    let left = Math.min(slots, storms.window(lane))
    if (!isDue('delivery', lane)) return
    for (const rank of storms.isRuled(lane) ? RANKS_OF.delivery : [RANK.normal])
      for (const row of left > 0 ? read(rank, left) : []) {
        left--
        yield row
      }
  }

  return (channel: ChannelName, slots: number): Iterable<DueRow> => {
    const [one, ...others] = lanes.all(channel).filter((lane) => isDue('urgent', lane) || isDue('delivery', lane))
    if (one === undefined) return []
    if (others.length === 0) return first(slots, rowsOf(one, slots))
    const rows = [one, ...others].flatMap((lane) => [...rowsOf(lane, slots)])
    return rows.sort(dueOrder).slice(0, slots)
  }
}

function* first<T>(count: number, of: Iterable<T>): Generator<T> {
  let left = count
  for (const each of of) {
    if (left-- <= 0) return
    yield each
  }
}

const dueOrder = (a: DueRow, b: DueRow) =>
  a.rank - b.rank || (a.due_at ?? 0) - (b.due_at ?? 0) || a.incident - b.incident || a.destination - b.destination

/** Follow-ups that are due and too old are deleted. */
function openClaimFollowUps(context: NoiseParts, { edits }: ClaimDeps) {
  const { counts, db, lanes, now, leases } = context
  const { refreshNextDue } = openQueues(context)
  const due = openDue(db)
  return function claimFollowUps(channel: ChannelName, slots: number): MessageDispatch[] {
    const dispatches: MessageDispatch[] = []
    for (const lane of lanes.all(channel)) {
      const left = slots - dispatches.length
      if (left < 1 || queueOf(counts, 'follow-up', lane.code).dueAt > now()) continue
      for (const row of due.all(KIND['follow-up'], lane.code, RANK.normal, now(), left)) {
        if (row.number <= 0) {
          dispatches.push(...edits.take(row, lane))
          continue
        }
        const detail: FollowUpDetail = JSON.parse(row.detail ?? '')
        const key = keyOf(row, 'follow-up', channel)
        if (isStale(detail, now())) leases.remove(key, 'pending')
        else {
          leases.take(key)
          dispatches.push(followUpDispatch(row, detail, { lane, now: now() }))
        }
      }
      refreshNextDue('follow-up', lane.code)
    }
    return dispatches
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
