import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { RANK } from '../../domain/delivery/dispatch.ts'
import { usualPriority } from '../../policy/outcome.ts'
import type { RouteDestination } from '../../policy/route.ts'
import type { Storms } from '../bundles/storms.ts'
import { FACT_COLUMNS, type TallyFacts } from '../bundles/sums/tally.ts'
import { CHANNEL_CODE, KIND, STATE } from '../engine/column-codes.ts'
import { countNews, type Lane, queueOf } from '../engine/counts.ts'
import { addPending } from '../outbox/queues.ts'
import type { StoreParts } from '../parts.ts'

/** Destinations that take the untold incidents of a channel whose own destinations fail. */
export interface FallbackRules {
  /** Channels without one are absent. */
  readonly destinations: { readonly [channel in ChannelName]?: RouteDestination }
  /** Time for which a destination's circuit is open before its untold incidents go elsewhere. */
  readonly afterMs: number
}

export const NO_FALLBACKS: FallbackRules = { destinations: {}, afterMs: Infinity }

/** Deliveries at the destinations that stand in for failing ones. Inside `write`. */
export type Fallbacks = ReturnType<typeof openFallbacks>

export function openFallbacks(context: StoreParts, rules: FallbackRules, storms: Pick<Storms, 'place'>) {
  const { db, counts, lanes, channels, now, decisions, fulltext } = context
  const facts = db.query<TallyFacts & { decision: number | null }>(
    `SELECT ${FACT_COLUMNS}, i.decision FROM incidents i WHERE i.seq = ?1
       AND NOT EXISTS (SELECT 1 FROM dispatches WHERE incident = ?1 AND kind = ${KIND.delivery} AND destination = ?2)`,
  )
  const insert = db.command(
    `INSERT INTO dispatches (incident, kind, destination, number, state, due_at, target, rank, bundle, place, fallback_of, placed_at)
     VALUES (?, ${KIND.delivery}, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const enable = db.change(
    'UPDATE incidents SET channels_enabled = channels_enabled | ?1 WHERE seq = ?2 AND channels_enabled & ?1 = 0',
  )

  function fallbackOf({ code, destination }: Lane): Lane<ChannelName> | undefined {
    if (destination === 'oncall') return undefined
    const to = rules.destinations[destination]
    if (to === undefined || !channels.includes(to.channel)) return undefined
    const lane = lanes.find(to.channel, to.target, counts.appliedUpTo)
    return lane.code === code ? undefined : lane
  }

  return {
    /** The destination has a fallback. */
    has: (lane: Lane): boolean => fallbackOf(lane) !== undefined,
    /**
     * Adds a delivery of an incident at the fallback of a destination, under the storm rule there. Does nothing when the
     * destination has no fallback, or when the incident has a delivery there already: so each is followed once.
     */
    place(lane: Lane, incident: number): void {
      const to = fallbackOf(lane)
      const row = to && facts.get(incident, to.code)
      if (to === undefined || row === undefined) return
      const at = now()
      const priority = decisions.priorityOf(row.decision) ?? usualPriority(row.severity)
      const placement = storms.place(to, { ...row, priority, committedAt: at })
      const of = [lane.code, at] as const
      if (placement.kind === 'fold') {
        const { bundle, place } = placement
        insert.run(incident, to.code, STATE.folded, null, to.target ?? null, RANK.normal, bundle, place, ...of)
      } else {
        const { rank } = placement
        insert.run(incident, to.code, STATE.pending, at, to.target ?? null, rank, null, null, ...of)
        addPending(queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', to.code), at)
      }
      if (enable.run(1 << CHANNEL_CODE[to.destination], incident) > 0) fulltext.queueReindex(incident)
      countNews(counts, 'fellBack', lane)
    },
  }
}
