import type { Settlement } from '../../domain/delivery/dispatch.ts'
import type { BriefReplies } from '../brief/reply.ts'
import { recordHealth } from '../deliveries/channel-health.ts'
import { KIND, STATE } from '../engine/column-codes.ts'
import type { NoiseParts } from '../noise/noise.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { Settled, SettledDelivery } from '../ports/outbox.ts'
import type { Edits } from './edits.ts'
import type { DeliveryFacts } from './in-flight-cache.ts'
import { openSettleNotice } from './settle-notices.ts'

interface SettleDeps {
  readonly edits: Pick<Edits, 'isStaleNow'>
  /** Undefined: `noise.brief` is off. */
  readonly briefs: Pick<BriefReplies, 'sent'> | undefined
  /** Returns undefined when the page is not leased. */
  settlePage(settlement: Settlement): OncallChange | undefined
}

/** A delivery whose incident's status is set together with those of others. */
interface Sent {
  readonly incident: number
  readonly delivery: { -readonly [K in keyof SettledDelivery]: SettledDelivery[K] }
}

/**
 * Opens `settle`, which ends the leases of dispatches and records their attempts. What follows depends on the kind. A
 * settlement of a dispatch that is not leased is counted. Inside `write`.
 */
export function openSettle(context: NoiseParts, deps: SettleDeps) {
  const settleDelivery = openSettleDelivery(context, deps)
  const settleFollowUp = openSettleFollowUp(context, deps)
  const settleNotice = openSettleNotice(context)

  /** Returns false when the dispatch is not leased. */
  function settleKind(settlement: Settlement, sent: Sent[]): Settled | boolean {
    switch (settlement.kind) {
      case 'delivery':
        return settleDelivery(settlement, sent) ?? false
      case 'notice':
        return settleNotice(settlement)
      case 'follow-up':
        return settleFollowUp(settlement)
      case 'digest':
        return context.bundles.settle(settlement) ?? true
      case 'page': {
        const change = deps.settlePage(settlement)
        return change === undefined ? false : { kind: 'page', change }
      }
      default:
        return settlement.kind satisfies never
    }
  }

  function settle(settlement: Settlement, sent: Sent[]): Settled | undefined {
    const settled = settleKind(settlement, sent)
    if (settled === false) context.counts.unknownSettlements++
    else context.outages.settled(settlement)
    return typeof settled === 'boolean' ? undefined : settled
  }

  return function settleAll(settlements: readonly Settlement[]): readonly (Settled | undefined)[] {
    const sent: Sent[] = []
    const settled = settlements.map((settlement) => settle(settlement, sent))
    if (sent.length === 0) return settled
    const statuses = context.statusTracker.finishSent(sent.map(({ incident }) => incident))
    for (const { incident, delivery } of sent) delivery.notifyStatus = statuses.get(incident) ?? 'pending'
    return settled
  }
}

/**
 * A delivery moves the health of its channel, its chat thread, and, with the last delivery, the incident's
 * `notify_status`.
 */
function openSettleDelivery(context: NoiseParts, { briefs }: SettleDeps) {
  const { db, engine, counts, inFlight, lanes, now, leases, ledger } = context
  const { statusTracker, notices, tellings, storms, bundles, fallbacks } = context
  const leased = db.query<DeliveryFacts>(
    `SELECT i.id, i.title, i.severity, i.created_at, i.status, i.fingerprint, i.silence, d.target, d.attempts, d.earlier_attempts, d.may_duplicate, d.due_at, d.rank
     FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.incident = ? AND d.kind = ${KIND.delivery} AND d.destination = ? AND d.number = 0 AND d.state = ${STATE.sending}`,
  )

  return function settleDelivery(settlement: Settlement, sent: Sent[]): SettledDelivery | undefined {
    const { incident, destination: channel, code, attempt, verdict } = settlement
    if (channel === 'oncall') return undefined
    const row = inFlight.remove(incident, code) ?? leased.get(incident, code)
    if (row === undefined) return undefined
    const { id: incidentId, title, severity, created_at: createdAt, target, silence } = row
    const attempts = row.earlier_attempts + row.attempts + (attempt === undefined ? 0 : 1)
    const state = verdict.state === 'released' ? 'pending' : verdict.state
    const facts = { incidentId, title, severity, target, createdAt, attempts, state, silence }
    const settled = { kind: 'delivery', ...facts } as const
    leases.end(settlement, row, { state, dueAt: dueAt(verdict, row.due_at, now()) })
    ledger.record(settlement, attempts)
    recordHealth(counts.health[channel], settlement, incidentId)
    if (verdict.state === 'dead') {
      notices.raise(channel)
      fallbacks.place(lanes.of(code), incident)
    }
    if (attempt !== undefined) storms.attempted(lanes.of(code), attempt.outcome !== 'retry')
    if (verdict.state === 'sent' && row.status === 'firing' && attempt?.messageId !== undefined) {
      tellings.confirmed(row.fingerprint, code, { incident, messageId: attempt.messageId })
      briefs?.sent({ code, destination: channel }, incident, row, attempt.messageId)
    }
    if (state === 'pending') return { ...settled, notifyStatus: 'pending' }
    bundles.ended(lanes.of(code), incident, state)
    if (state === 'sent' && engine.isRemote) {
      const delivery = { ...settled, notifyStatus: 'pending' as const }
      sent.push({ incident, delivery })
      return delivery
    }
    return { ...settled, notifyStatus: statusTracker.finish(incident, state) }
  }
}

/** The row of a follow-up is deleted when it ended. No edit becomes a new message. */
function openSettleFollowUp({ now, leases, ledger }: NoiseParts, { edits }: SettleDeps) {
  return function settleFollowUp(settlement: Settlement): boolean {
    const row = leases.find(settlement)
    if (row === undefined) return false
    const { verdict, attempt, number } = settlement
    ledger.record(settlement)
    const isEdit = number <= 0
    const isGone = isEdit && attempt?.outcome === 'gone'
    const isOver = verdict.state === 'sent' || verdict.state === 'dead' || isGone
    const isAgain = isOver && !isGone && isEdit && edits.isStaleNow(settlement)
    // The age of an edit counts from its due time, and the clock may have been set while it was with its sender.
    const at = isAgain || (isEdit && verdict.state === 'released') ? now() : dueAt(verdict, row.due_at, now())
    if (isOver && !isAgain) leases.remove(settlement, 'sending', row.rank)
    else leases.end(settlement, row, { state: 'pending', dueAt: at })
    return true
  }
}

/** Null: the dispatch ended. A released one keeps its place in the order, unless the clock was set back since. */
function dueAt(verdict: Settlement['verdict'], before: number | null, now: number): number | null {
  if (verdict.state === 'pending') return verdict.at
  return verdict.state === 'released' ? Math.min(before ?? now, now) : null
}
