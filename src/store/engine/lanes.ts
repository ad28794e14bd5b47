import { type ChannelName, DESTINATIONS, type Destination } from '../../domain/delivery/delivery.ts'
import { channelName, DESTINATION_CODE } from './column-codes.ts'
import type { Counts, Lane } from './counts.ts'
import type { Caches } from './overlay.ts'
import type { Statements } from './statement.ts'

const FIRST_OTHER = 40
/** Other destinations that are known at a time: with `accept_ids` requests name them. */
const MAX_OTHERS = 10_000
/** Those of people, whom the configuration bounds, are never refused: their messages are for nobody else. */
const OF_PERSON = 'person:'
/** Incidents after which the use of a destination is written again. */
export const USED_STEP = 256

const DEFAULTS = Object.fromEntries(
  DESTINATIONS.map((destination) => [destination, { code: DESTINATION_CODE[destination], destination }]),
) as { readonly [D in Destination]: Lane<D> }

interface LaneDeps {
  readonly db: Statements
  readonly counts: Counts
  readonly caches: Caches
  readonly channels: readonly ChannelName[]
  /** Hears of each delivery that goes to the default one because no other can be added. */
  full(channel: ChannelName, target: string): void
}

/** Registry of the lanes, in memory and on disk. At most 10,000, and those of people. */
export type Lanes = ReturnType<typeof openLanes>

export function openLanes({ db, counts, caches, channels, full }: LaneDeps) {
  const insert = db.query<{ code: number }>(`INSERT INTO destinations (code, channel, target)
     SELECT coalesce(max(code) FILTER (WHERE code >= ${FIRST_OTHER}) + 1, ${FIRST_OTHER}), ?, ? FROM destinations RETURNING code`)
  const use = db.command('UPDATE destinations SET used = ? WHERE code = ? AND used < ?')
  /** Use of the lanes on disk. */
  const used = new Map<number, number>()
  caches.push({ rollback: () => used.clear() })
  const others = db
    .query<{ code: number; channel: number; target: string }>(
      "SELECT code, channel, target FROM destinations WHERE target <> '' ORDER BY code",
    )
    .all()
  counts.lanes = [
    ...Object.values(DEFAULTS),
    ...others.map(({ code, channel, target }) => ({ code, destination: channelName(channel), target })),
  ]

  let index = indexOf(counts.lanes, channels)
  /** The lanes change seldom, and are replaced as a whole. */
  function current() {
    if (index.lanes !== counts.lanes) index = indexOf(counts.lanes, channels)
    return index
  }

  /** As `of`; undefined: retention has deleted the lane, which what is known of problems outlives. */
  const stored = (code: number) => current().byCode.get(code)

  /** Throws `RangeError` for a number that no lane has. */
  function of(code: number): Lane {
    const lane = stored(code)
    if (lane === undefined) throw new RangeError(`the database holds an unknown destination: ${code}`)
    return lane
  }

  return {
    of,
    stored,
    /** As `of`, for the number of a channel's lane. */
    ofChannel: of as (code: number) => Lane<ChannelName>,
    /** Lists the lanes of a destination; the default one is the first. */
    all: <To extends Destination>(destination: To): readonly Lane<To>[] => current().byDestination[destination],
    /** Returns the lane of a channel's destination; undefined: it was never used. */
    named: (channel: ChannelName, target: string | undefined) =>
      current().byName.get(`${channel} ${target ?? ''}`) as Lane<ChannelName> | undefined,
    /** Numbers of the lanes of the enabled channels. */
    enabled: (): readonly number[] => current().enabled,
    /**
     * Returns the lane of a channel's destination for a delivery of an incident, and adds it when it is new; the default
     * one when 10,000 others are known, but never for a person. Inside `write`.
     */
    find(channel: ChannelName, target: string | undefined, incident: number): Lane<ChannelName> {
      if (target === undefined) return DEFAULTS[channel]
      const known = current().byName.get(`${channel} ${target}`)
      if (known !== undefined) {
        if (incident < (used.get(known.code) ?? -Infinity) + USED_STEP) return known as Lane<ChannelName>
        use.run(incident, known.code, incident)
        used.set(known.code, incident)
        return known as Lane<ChannelName>
      }
      if (counts.lanes.length - DESTINATIONS.length >= MAX_OTHERS && !target.startsWith(OF_PERSON)) {
        full(channel, target)
        return DEFAULTS[channel]
      }
      const code = insert.get(DESTINATION_CODE[channel], target)?.code as number
      use.run(incident, code, incident)
      const lane = { code, destination: channel, target }
      const { byCode, byName, byDestination, enabled } = current()
      byCode.set(code, lane)
      byName.set(`${channel} ${target}`, lane)
      ;(byDestination[channel] as Lane[]).push(lane)
      if (channels.includes(channel)) enabled.push(code)
      counts.lanes = [...counts.lanes, lane]
      index = { ...index, lanes: counts.lanes }
      return lane
    },
    /** Lanes were deleted. */
    deleted(gone: ReadonlySet<number>): void {
      counts.lanes = counts.lanes.filter(({ code }) => !gone.has(code))
      for (const code of gone) {
        used.delete(code)
        counts.storms.delete(code)
        counts.bundles.delete(code)
        for (const queues of Object.values(counts.queues)) queues.delete(code)
      }
    },
  }
}

function indexOf(lanes: readonly Lane[], channels: readonly ChannelName[]) {
  const of = (destination: Destination) => lanes.filter((lane) => lane.destination === destination)
  return {
    lanes,
    byCode: new Map(lanes.map((lane) => [lane.code, lane])),
    byName: new Map(lanes.map((lane) => [`${lane.destination} ${lane.target ?? ''}`, lane])),
    byDestination: Object.fromEntries(DESTINATIONS.map((name) => [name, of(name)])) as {
      [To in Destination]: Lane<To>[]
    },
    enabled: channels.flatMap(of).map(({ code }) => code),
  }
}
