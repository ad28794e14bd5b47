import { MessageChannel, Worker } from 'node:worker_threads'
import { wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { dispatch, spawn, start, stop } from 'nact'
import { systemClock } from '../../src/kernel/clock.ts'
import { Link } from '../../src/kernel/link.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { Supervisor } from '../../src/kernel/supervisor.ts'
import { Turns } from '../../src/kernel/turns.ts'
import { rate, type Work } from '../rate.ts'
import { measure, type Row, type TrialOptions } from '../report.ts'
import { countingCell, type Numbered, WINDOW } from '../runtime/counting.ts'
import type { PlainApi, PlainStart } from '../runtime/plain.ts'

/**
 * What a message costs between actors of one thread and of two, and a question with its answer: against the bare means of the platform, and
 * against nact, an actor library of the same reach on one thread.
 */
export const title = 'runtime: small messages between actors, in turn'

/** Messages told between two waits for all of them to be handled. */
const ROUND = 50_000
const NEAR_ROUND = 4_000
const ASK_ROUND = 50
/** What is measured is what a service does for days. */
const WARM_UP_MS = 200
const ASK_MS = 5_000
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning']

interface Side {
  readonly what: string
  readonly how: string
  readonly work: Work
}

/** What is compared, and by how much the first is to be better (or at most worse) than the second, in time for each message. */
const GOALS = [
  { what: 'tell far', against: 'postMessage', most: 1 / 10 },
  { what: 'ask far', against: 'comlink', most: 1.5 },
] as const
const OWN = 'tocsin'

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

interface Sides {
  readonly sides: readonly Side[]
  end(): Promise<unknown>
}

/** As the service runs it: supervised thread, link, windows, deadlines. */
async function kernel(): Promise<Sides> {
  const turns = new Turns()
  const link = new Link('counting', turns)
  const script = new URL('../runtime/supervised.ts', import.meta.url)
  const plan = { name: 'counting', script, boot: () => ({}), peers: [], link, options: { execArgv: EXEC_ARGV } }
  const supervisor = new Supervisor([plan], systemClock, { threadDown() {}, threadUp() {} })
  await supervisor.start()
  const near = nearRef('counting', countingCell(turns).cell.mailbox, WINDOW)
  const far = link.outlet<Numbered>('counting', WINDOW)
  const sides = [
    { what: 'tell near', how: OWN, work: () => toldAll(near, NEAR_ROUND) },
    { what: 'tell far', how: OWN, work: () => toldAll(far, ROUND) },
    { what: 'ask far', how: OWN, work: asking((n) => supervisor.ask('counting', 'counting', numbered(n), ASK_MS)) },
  ]
  return { sides, end: () => supervisor.stop('counting', ASK_MS) }
}

/** One message each for the platform, and Comlink's call beside it. */
function plain(): Sides {
  const worker = new Worker(new URL('../runtime/plain.ts', import.meta.url), { execArgv: EXEC_ARGV })
  const { port1, port2 } = new MessageChannel()
  const api = wrap<PlainApi>(nodeEndpoint(port1))
  const start: PlainStart = { round: ROUND, comlink: port2 }
  worker.postMessage(start, [port2])
  const posting = async () => {
    const read = new Promise((resolve) => worker.once('message', resolve))
    for (let n = 0; n < ROUND; n++) worker.postMessage(numbered(n))
    await read
    return ROUND
  }
  const sides = [
    { what: 'tell far', how: 'postMessage', work: posting },
    { what: 'ask far', how: 'comlink', work: asking((n) => api.sum(numbered(n))) },
  ]
  return {
    sides,
    end() {
      port1.close()
      return worker.terminate()
    },
  }
}

interface Last extends Numbered {
  readonly done?: () => void
}

/** nact has no threads: it is the measure for what stays on one. */
function library(): Sides {
  const system = start()
  const actor = spawn(system, (sum: number = 0, { n, done }: Last) => {
    done?.()
    return sum + n
  })
  const telling = async () => {
    await new Promise<void>((done) => {
      for (let n = 1; n < NEAR_ROUND; n++) dispatch(actor, numbered(n))
      dispatch(actor, { ...numbered(NEAR_ROUND), done })
    })
    return NEAR_ROUND
  }
  return { sides: [{ what: 'tell near', how: 'nact', work: telling }], end: async () => stop(system) }
}

const numbered = (n: number): Numbered => ({ kind: 'numbered', n })

/** Tells as there is room, and resolves when all of it was handled. */
async function toldAll(ref: Ref<Numbered>, count: number): Promise<number> {
  await new Promise<void>((resolve) => {
    let next = 0
    const tellOn = () => {
      while (next < count && ref.tell(numbered(next))) next++
      if (next < count) ref.whenRoom(tellOn)
      else ref.whenIdle(resolve)
    }
    tellOn()
  })
  return count
}

/** One after the other. */
function asking(ask: (n: number) => Promise<unknown>): Work {
  return async () => {
    for (let n = 0; n < ASK_ROUND; n++) await ask(n)
    return ASK_ROUND
  }
}
