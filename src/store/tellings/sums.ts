import { DESTINATION_CODE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { openOverlay } from '../engine/overlay.ts'
import type { Telling } from './rows.ts'

/** Sums of one destination of a channel. */
interface DestinationSums extends Grown {
  readonly destination: number
}

/** What the open window of a silence has held; after its end problems leave as they are told. */
export interface HeldSums {
  /** Of each problem those of the destination with the most. */
  readonly alerts: number
  readonly problems: number
  /** Problems of which an incident is held. */
  readonly firing: number
  /** Of these: problems with a critical incident, and with a timer. */
  readonly criticals: number
  readonly pages: number
  /** When something was held last, epoch milliseconds. */
  readonly lastAt: number | null
  readonly destinations: readonly DestinationSums[]
}

export const NO_SUMS: HeldSums = {
  ...{ alerts: 0, problems: 0, firing: 0, criticals: 0, pages: 0 },
  ...{ lastAt: null, destinations: [] },
}

/** Silences whose sums are kept in memory. */
const CACHED = 1_024

/** Sums of each silence in its row. They follow the tellings, so that none are read to add up. Inside `write`. */
export function openHeldSums({ db, caches }: Pick<StoreContext, 'db' | 'caches'>) {
  const one = db.query<{ held: string | null }>('SELECT held FROM silences WHERE id = ?')
  const save = db.command('UPDATE silences SET held = ? WHERE id = ?')
  const rows = openOverlay<number, { readonly silence: number; readonly sums: HeldSums }>(caches, {
    read(silence) {
      const held = one.get(silence)?.held ?? null
      return { silence, sums: held === null ? NO_SUMS : JSON.parse(held) }
    },
    max: CACHED,
  })
  const find = (silence: number): HeldSums => rows.find(silence)?.sums ?? NO_SUMS
  const set = (silence: number, sums: HeldSums): void => rows.set(silence, { silence, sums })

  return {
    find,
    set,
    /** The tellings of a problem changed. Alerts only grow: those of a problem that is told were held. */
    follow(before: readonly Telling[], after: readonly Telling[]): void {
      const silences = new Set([...before, ...after].flatMap(({ silence }) => silence ?? []))
      for (const silence of silences)
        set(silence, moved(find(silence), ofSilence(before, silence), ofSilence(after, silence)))
    },
    flush: (): void =>
      rows.flush(({ silence, sums }) => save.run(sums === NO_SUMS ? null : JSON.stringify(sums), silence)),
  }
}

const ofSilence = (tellings: readonly Telling[], silence: number) => tellings.filter((each) => each.silence === silence)

function moved(sums: HeldSums, before: readonly Telling[], after: readonly Telling[]): HeldSums {
  const [was, is] = [sumsOf(before), sumsOf(after)]
  return {
    ...grown(sums, was, is),
    criticals: sums.criticals + is.criticals - was.criticals,
    pages: sums.pages + is.pages - was.pages,
    lastAt: Math.max(sums.lastAt ?? 0, is.lastAt),
    destinations: destinationsOf(sums.destinations, before, after),
  }
}

type Grown = Pick<HeldSums, 'alerts' | 'problems' | 'firing'>

const grown = ({ alerts, problems, firing }: Grown, was: Grown, is: Grown): Grown => ({
  alerts: alerts + Math.max(0, is.alerts - was.alerts),
  problems: problems + is.problems - was.problems,
  firing: firing + is.firing - was.firing,
})

/** Returns what the tellings of one problem add to the sums of their silence. */
function sumsOf(tellings: readonly Telling[]) {
  const firing = tellings.some(isHeld)
  return {
    alerts: Math.max(0, ...tellings.map(({ alerts }) => alerts)),
    problems: Math.min(1, tellings.length),
    firing: Number(firing),
    criticals: Number(firing && tellings.some(({ level }) => level === 0)),
    pages: Number(tellings.some((each) => isHeld(each) && each.destination === DESTINATION_CODE.oncall)),
    lastAt: Math.max(0, ...tellings.map(({ lastAt }) => lastAt ?? 0)),
  }
}

function destinationsOf(
  sums: readonly DestinationSums[],
  before: readonly Telling[],
  after: readonly Telling[],
): readonly DestinationSums[] {
  const codes = new Set([...before, ...after].map(({ destination }) => destination))
  codes.delete(DESTINATION_CODE.oncall)
  const changed = Array.from(codes, (destination) => {
    const to = (each: { readonly destination: number }) => each.destination === destination
    return { destination, ...grown(sums.find(to) ?? NO_SUMS, sumsOf(before.filter(to)), sumsOf(after.filter(to))) }
  })
  return [...sums.filter(({ destination }) => !codes.has(destination)), ...changed].sort(
    (a, b) => a.destination - b.destination,
  )
}

const isHeld = ({ held }: Telling) => held !== null
