import { MessageChannel, Worker } from 'node:worker_threads'
import { wrap } from 'comlink'
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs'
import { dispatch, spawn, start, stop } from 'nact'
import { systemClock } from '../../src/kernel/clock.ts'
import { Link } from '../../src/kernel/link.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { Supervisor } from '../../src/kernel/supervisor.ts'
import { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { Work } from '../rate.ts'
import { countingCell, type Numbered, WINDOW } from './counting.ts'
import type { PlainApi, PlainStart } from './plain.ts'

/** Messages sent before waiting until all of them are handled. */
const ROUND = 50_000
const NEAR_ROUND = 4_000
const ASK_ROUND = 50
const ASK_MS = 5_000
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning']

/** The side that all others are compared with. */
export const OWN = 'tocsin'

/** One implementation of one kind of work. */
export interface Side {
  readonly what: string
  readonly how: string
  readonly work: Work
}

/** Implementations that share threads and actors, which `end` stops. */
interface Sides {
  readonly sides: readonly Side[]
  end(): Promise<unknown>
}

/** The kernel as the service uses it: a supervised thread, a link, windows, deadlines. */
export async function kernel(): Promise<Sides> {
  const scheduler = new TurnScheduler()
  const link = new Link('counting', scheduler)
  const script = new URL('./supervised.ts', import.meta.url)
  const plan = { name: 'counting', script, boot: () => ({}), peers: [], link, options: { execArgv: EXEC_ARGV } }
  const supervisor = new Supervisor([plan], systemClock, { threadDown() {}, threadUp() {} })
  await supervisor.start()
  const near = nearRef('counting', countingCell(scheduler).cell.mailbox, WINDOW)
  const far = link.outlet<Numbered>('counting', WINDOW)
  const sides = [
    { what: 'tell near', how: OWN, work: () => toldAll(near, NEAR_ROUND) },
    { what: 'tell far', how: OWN, work: () => toldAll(far, ROUND) },
    { what: 'ask far', how: OWN, work: asking((n) => supervisor.ask('counting', 'counting', numbered(n), ASK_MS)) },
  ]
  return { sides, end: () => supervisor.stop('counting', ASK_MS) }
}

/** postMessage with one message per call, and Comlink calls. */
export function plain(): Sides {
  const worker = new Worker(new URL('./plain.ts', import.meta.url), { execArgv: EXEC_ARGV })
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

/** nact, an actor library without threads: the comparison for messages within one thread. */
export function library(): Sides {
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

/** Sends `count` messages as credit allows. Resolves when all are handled. */
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

/** Asks one question after the other. */
function asking(ask: (n: number) => Promise<unknown>): Work {
  return async () => {
    for (let n = 0; n < ASK_ROUND; n++) await ask(n)
    return ASK_ROUND
  }
}
