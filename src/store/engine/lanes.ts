import { type ChannelName, DESTINATIONS, type Destination } from '../../domain/delivery.ts'
import { channelName, DESTINATION_CODE } from './column-codes.ts'
import type { Counts, Lane } from './counts.ts'
import type { Sql } from './sql.ts'
import { query } from './statement.ts'

const FIRST_OTHER = 40

/** Destinations that dispatches are kept for. `open_since` and `placed_through` are those of an `Outage`. */
export const DESTINATIONS_TABLE = `
CREATE TABLE destinations (
  code INTEGER PRIMARY KEY,
  channel INTEGER NOT NULL,
  target TEXT NOT NULL DEFAULT '',
  storm TEXT,
  open_since INTEGER,
  placed_through INTEGER,
  UNIQUE (channel, target)
);
INSERT INTO destinations (code, channel) VALUES (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
`

/** Registry of the lanes, in memory and on disk. Lanes are few: only the configuration can name them. */
export interface Lanes {
  /** Throws `RangeError` for a number that no lane has. */
  of(code: number): Lane
  /** As `of`, for the number of a channel's lane. */
  ofChannel(code: number): Lane<ChannelName>
  /** Lists the lanes of a destination; the default one is the first. */
  all(destination: ChannelName): readonly Lane<ChannelName>[]
  all(destination: Destination): readonly Lane[]
  /** Numbers of the lanes of the enabled channels. */
  enabled(): readonly number[]
  /** Returns the lane of a channel's destination, and adds it when it is new. Inside `write`. */
  find(channel: ChannelName, target: string | undefined): Lane<ChannelName>
}

const DEFAULTS = Object.fromEntries(
  DESTINATIONS.map((destination) => [destination, { code: DESTINATION_CODE[destination], destination }]),
) as { readonly [D in Destination]: Lane<D> }

export function openLanes(db: Sql, counts: Pick<Counts, 'lanes'>, channels: readonly ChannelName[]): Lanes {
  const insert = query<{ code: number }>(
    db,
    `INSERT INTO destinations (code, channel, target)
     SELECT coalesce(max(code) FILTER (WHERE code >= ${FIRST_OTHER}) + 1, ${FIRST_OTHER}), ?, ? FROM destinations RETURNING code`,
  )
  const others = query<{ code: number; channel: number; target: string }>(
    db,
    "SELECT code, channel, target FROM destinations WHERE target <> '' ORDER BY code",
  ).all()
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

  function of(code: number): Lane {
    const lane = current().byCode.get(code)
    if (lane === undefined) throw new RangeError(`the database holds an unknown destination: ${code}`)
    return lane
  }

  return {
    of,
    ofChannel: of as Lanes['ofChannel'],
    all: (destination: Destination) => current().byDestination[destination] as readonly Lane<ChannelName>[],
    enabled: () => current().enabled,
    find(channel, target) {
      if (target === undefined) return DEFAULTS[channel]
      const known = counts.lanes.find((lane) => lane.destination === channel && lane.target === target)
      if (known !== undefined) return known as Lane<ChannelName>
      const code = insert.get(DESTINATION_CODE[channel], target)?.code as number
      const lane = { code, destination: channel, target }
      counts.lanes = [...counts.lanes, lane]
      return lane
    },
  }
}

function indexOf(lanes: readonly Lane[], channels: readonly ChannelName[]) {
  const of = (destination: Destination) => lanes.filter((lane) => lane.destination === destination)
  return {
    lanes,
    byCode: new Map(lanes.map((lane) => [lane.code, lane])),
    byDestination: Object.fromEntries(DESTINATIONS.map((name) => [name, of(name)])) as Record<Destination, Lane[]>,
    enabled: channels.flatMap(of).map(({ code }) => code),
  }
}
