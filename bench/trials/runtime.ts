import { rate } from '../rate.ts'
import { measure, type Row, type TrialOptions } from '../report.ts'
import { kernel, library, OWN, plain, type Side } from '../runtime/sides.ts'

/**
 * Cost of a message between actors of one thread and of two, and of a question with its answer, beside the platform's
 * own means and beside nact, an actor library for one thread.
 */
export const title = 'runtime: small messages between actors, in turn'

/** Warm-up before the first round: a service runs for days. */
const WARM_UP_MS = 200

/** Goals: the most that our time per message may be, as a multiple of the other side's. */
const GOALS = [
  { what: 'tell far', against: 'postMessage', most: 1 / 10 },
  { what: 'ask far', against: 'comlink', most: 1.5 },
] as const

export async function run({ quick, progress }: TrialOptions): Promise<Row[]> {
  const rounds = quick ? 3 : 9
  const sliceMs = quick ? 60 : 400
  const lifetimes = [await kernel(), plain(), library()]
  const sides = lifetimes.flatMap(({ sides }) => sides)
  const micros = new Map(sides.map((side) => [side, [] as number[]]))
  try {
    for (const { work } of sides) await rate(WARM_UP_MS, work)
    for (let round = 1; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`)
      for (const side of sides) micros.get(side)?.push(1e6 / (await rate(sliceMs, side.work)).perSecond)
    }
  } finally {
    for (const { end } of lifetimes) await end()
  }
  return [...sides].sort((a, b) => a.what.localeCompare(b.what)).map((side) => row(side, sides, micros))
}

function row({ what, how }: Side, sides: readonly Side[], micros: ReadonlyMap<Side, readonly number[]>): Row {
  const taken = (side: string) =>
    micros.get(sides.find((each) => each.what === what && each.how === side) as Side) ?? []
  const own = taken(OWN)
  const goal = GOALS.find((each) => each.what === what && each.against === how)
  const ratios = own.map((each, round) => each / (taken(how)[round] ?? Number.NaN))
  return {
    what,
    how,
    'us each': measure(taken(how), 2),
    [`${OWN} against it`]: how === OWN ? '' : measure(ratios, 3, goal && { atMost: goal.most }),
  }
}
