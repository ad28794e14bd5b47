import type { Settlement } from '../../domain/delivery/dispatch.ts'
import type { Problem } from '../../policy/problem.ts'
import { type BundleDeps, openBundles } from '../bundles/open.ts'
import { openWindUp } from '../bundles/windup.ts'
import { BUNDLE_KIND, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane, Outage } from '../engine/counts.ts'
import type { StoreParts } from '../parts.ts'
import type { OncallChange } from '../ports/oncall.ts'
import { type FallbackRules, type Fallbacks, NO_FALLBACKS, openFallbacks } from './fallbacks.ts'

/** The store's parts with those that tell of incidents. */
export type NoiseParts = StoreParts & Noise

/** Bundles of storms, repeats and flapping, what follows when these are told, and what stands in for destinations that fail. */
type Noise = ReturnType<typeof openNoise>

export function openNoise(context: StoreParts, limits: BundleDeps & { readonly fallbacks?: FallbackRules }) {
  const { pages, problems } = context
  const { fallbacks: rules = NO_FALLBACKS } = limits
  const bundles = openBundles(context, limits)
  const { storms, rows } = bundles
  const fallbacks = openFallbacks(context, rules, storms)

  function endOne({ fingerprint, state, endedBy }: Problem): OncallChange[] {
    bundles.flappingEnded(fingerprint)
    // The end by quiet tells the pager nothing, whether or not the problem flaps.
    return state === 'resolved' && endedBy !== 'quiet' ? pages.resolve(fingerprint) : []
  }

  return {
    bundles,
    storms,
    /** Ends the flapping of problems that is over, and resolves their pages; bounded. */
    endFlapping: (): OncallChange[] => problems.flapping.end().flatMap(endOne),
    windUp: openWindUp(context, rows, fallbacks),
    fallbacks,
    outages: openOutages(context, fallbacks, rules.afterMs),
  }
}

/** Incidents that one turn looks at: placing one costs as much as applying it. */
const STEP = 512

/**
 * Outages of destinations that have a fallback. States:
 *
 *     waiting    the circuit is open; leaves to over with an answer of the provider, to failing over after `afterMs`
 *     failing    what is untold is placed at the fallback, and what arrives; leaves to over with an answer
 *     over       forgotten
 *
 * The destination goes on trying in all of them. Inside `write`, except `nextAt`.
 */
function openOutages(context: StoreContext, fallbacks: Fallbacks, afterMs: number) {
  const { db, counts, lanes, now } = context
  const save = db.command('UPDATE destinations SET open_since = ?, placed_through = ? WHERE code = ?')
  const saved = db.query<{ code: number; since: number; through: number | null }>(
    `SELECT code, open_since AS since, placed_through AS through FROM destinations WHERE open_since IS NOT NULL`,
  )
  const pending = db.query<{ first: number | null }>(`SELECT min(incident) AS first FROM dispatches
     WHERE kind = ${KIND.delivery} AND destination = ? AND state = ${STATE.pending}`)
  const places = db.query<{ first: number | null }>(`SELECT min(incident) AS first FROM dispatches
     WHERE bundle = ?1 AND place > (SELECT told FROM bundles WHERE id = ?1)`)
  const flapping = db.query<{ first: number | null }>(
    `SELECT min(d.incident) AS first FROM bundles b CROSS JOIN dispatches d
     WHERE d.bundle = b.id AND d.place > b.told AND b.destination = ? AND b.subject IS NOT NULL AND b.closed_at IS NULL AND b.kind IN (${BUNDLE_KIND.flapping}, ${BUNDLE_KIND.group}) AND b.folded > b.told`,
  )
  // Repeats wait: the destination, or its fallback, has the first message of their problem. Changes of state do not.
  const untold = db.query<{ incident: number }>(
    `SELECT incident FROM dispatches d WHERE incident > ? AND incident <= ? AND kind = ${KIND.delivery} AND destination = ?
       AND (state = ${STATE.pending} OR state = ${STATE.folded} AND place > (SELECT told FROM bundles WHERE id = d.bundle AND kind <> ${BUNDLE_KIND.repeats}))`,
  )

  function set(code: number, outage: Outage | undefined): void {
    if (outage === undefined) counts.outages.delete(code)
    else counts.outages.set(code, outage)
    save.run(outage?.since ?? null, outage?.through ?? null, code)
  }

  function firstUntold(code: number): number {
    const bundle = counts.storms.get(code)?.bundle
    const first = [pending.get(code), bundle === undefined ? undefined : places.get(bundle), flapping.get(code)]
    return Math.min(counts.appliedUpTo + 1, ...first.map((row) => row?.first ?? Infinity))
  }

  function placeNext(lane: Lane, outage: Outage): void {
    const from = outage.through ?? firstUntold(lane.code) - 1
    const through = Math.min(from + STEP, counts.appliedUpTo)
    for (const { incident } of untold.all(from, through, lane.code)) fallbacks.place(lane, incident)
    if (through !== outage.through) set(lane.code, { ...outage, through })
  }

  const dueAt = ({ since, through }: Outage) =>
    through === undefined || through < counts.appliedUpTo ? since + afterMs : Infinity

  return {
    /** Records what an attempt says of its destination, and places the delivery when the destination is failing. */
    settled({ kind, destination, code, incident, attempt, circuitOpen, verdict }: Settlement): void {
      if (destination === 'oncall') return
      const outage = counts.outages.get(code)
      if (attempt !== undefined && attempt.outcome !== 'retry') {
        if (outage !== undefined) set(code, undefined)
        return
      }
      if (circuitOpen && outage === undefined && fallbacks.has(lanes.of(code))) set(code, { since: now() })
      // It was with its sender when the others were placed.
      if (kind === 'delivery' && verdict.state !== 'sent' && outage?.through !== undefined)
        fallbacks.place(lanes.of(code), incident)
    },
    /** Places an incident that has become due after the others, when those were placed. */
    late(lane: Lane, incident: number): void {
      if ((counts.outages.get(lane.code)?.through ?? 0) >= incident) fallbacks.place(lane, incident)
    },
    /** Places the next untold incidents. */
    next(): void {
      for (const [code, outage] of counts.outages) if (dueAt(outage) <= now()) placeNext(lanes.of(code), outage)
    },
    /** Returns the epoch milliseconds at which `next` has something to do; Infinity: never. */
    nextAt: (): number => Math.min(Infinity, ...Array.from(counts.outages.values(), dueAt)),
    shift(byMs: number): void {
      for (const [code, outage] of counts.outages) set(code, { ...outage, since: outage.since + byMs })
    },
    /** Reads the outages from disk, for the opening. */
    load(): void {
      for (const { code, since, through } of saved.all()) {
        if (!fallbacks.has(lanes.of(code))) set(code, undefined)
        else if (through !== null) set(code, { since: Math.min(since, now() - afterMs), through })
        // While the service was down the provider may have come back.
        else set(code, { since: now() })
      }
    },
  }
}
