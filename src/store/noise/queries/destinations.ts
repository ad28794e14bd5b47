import { loadOf } from '../../../policy/bundles/lane.ts'
import { queueOf } from '../../engine/counts.ts'
import type { NoiseParts } from '../noise.ts'

/** Opens the reads of all destinations of the enabled channels, from the memory of the storm rules. */
export function openDestinationStates(context: NoiseParts) {
  const { lanes, channels } = context
  const stateOf = openState(context)
  return () => channels.flatMap((channel) => lanes.all(channel).map(stateOf))
}

/** One destination of an enabled channel. */
export type DestinationState = ReturnType<ReturnType<typeof openState>>

/** Times are epoch milliseconds. */
function openState({ db, counts, now, storms }: NoiseParts) {
  const { noiseOf, nextAt, isRuled } = storms
  const opened = db.query<{ readonly opened_at: number }>('SELECT opened_at FROM bundles WHERE id = ?')
  const committed = db.query<{ readonly committed_at: number }>(
    'SELECT i.committed_at FROM dispatches d CROSS JOIN incidents i WHERE i.seq = d.incident AND d.bundle = ? AND d.place = ?',
  )

  function withoutRules(lane: Parameters<typeof noiseOf>[0]) {
    const queues = [queueOf(counts, 'delivery', lane.code), queueOf(counts, 'urgent', lane.code)]
    const unfinished = queues.reduce((sum, { pending, sending }) => sum + pending + sending, 0)
    const { destination, target = null } = lane
    const none = { storm: null, maxLoad: null, untold: 0, untoldSince: null, arrived: null, nextRevisionAt: null }
    return { channel: destination, target, load: unfinished, unfinished, boundMs: null, ...none }
  }

  return function stateOf(lane: Parameters<typeof noiseOf>[0]) {
    const noise = noiseOf(lane)
    if (noise === undefined) return withoutRules(lane)
    const { storm, row, parameters, unfinished } = noise
    const { folded, told } = row?.bundle ?? { folded: 0, told: 0 }
    const bundle = storm.bundle === undefined ? undefined : opened.get(storm.bundle)
    const oldest = storm.bundle === undefined || told >= folded ? undefined : committed.get(storm.bundle, told + 1)
    const ruled = isRuled(lane)
    return {
      channel: lane.destination,
      /** null: the channel's default one. */
      target: lane.target ?? null,
      /** Number of the open digest and when its storm began; null: calm. */
      storm: storm.bundle === undefined ? null : { digest: storm.bundle, since: bundle?.opened_at ?? now() },
      load: loadOf(storm.state, unfinished, now(), parameters),
      /** Load from which on there is a storm; null: never. */
      maxLoad: ruled ? parameters.maxLoad : null,
      /** Messages about one incident that are not finished. */
      unfinished: unfinished.singles,
      /** Incidents with a place in a digest that no confirmed revision covers. */
      untold: folded - told,
      /** Commit of the oldest of these; null: there is none. */
      untoldSince: oldest?.committed_at ?? null,
      /** Incidents since opening, in messages of their own and in digests; null: not counted, because it never has a digest. */
      arrived: storm.arrived,
      nextRevisionAt: finite(nextAt(lane)),
      /** Longest time from commit to the provider's confirmation while it accepts; null: without a bound. */
      boundMs: ruled ? parameters.boundMs : null,
    }
  }
}

const finite = (at: number) => (at === Infinity ? null : at)

/** Opens the look-up of a destination by its number. */
export const openBounded =
  ({ lanes, storms: { noiseOf, isRuled } }: NoiseParts) =>
  (code: number) => {
    const lane = lanes.ofChannel(code)
    return { channel: lane.destination, boundMs: isRuled(lane) ? noiseOf(lane)?.parameters.boundMs : undefined }
  }
