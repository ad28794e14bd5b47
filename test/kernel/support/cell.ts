import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Actor, Cell, type Message } from '../../../src/kernel/cell.ts'
import type { Slot } from '../../../src/kernel/mailbox.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { manualScheduler } from './by-hand.ts'

export interface Mail extends Message {
  readonly n: number
}
export const mail = (n: number, kind = 'work'): Mail => ({ kind, n })

interface Setup {
  /** Called with the number of the instance, from 1. */
  build(instance: number): Actor<Mail>
  readonly batch?: number
  readonly slots?: 'auto' | 'held'
  readonly capacity?: number
  readonly pauseMs?: number
}

/** A cell with a manual clock and scheduler, which records its reports. */
export function cellOf({ build, batch = 10, slots = 'auto', capacity = 10, pauseMs = 0 }: Setup) {
  const clock = new ManualClock()
  const { scheduler, passAll } = manualScheduler()
  const failures: { readonly error: unknown; readonly restartInMs: number }[] = []
  const deadLetters: { readonly kind: string; readonly error: unknown }[] = []
  let instances = 0
  const cell = new Cell<Mail>(
    { name: 'worker', mailbox: { capacity }, batch, slots, pauseMs, build: () => build(++instances) },
    {
      clock,
      scheduler,
      restarts: { initialMs: 50, maxMs: 400 },
      report: {
        failed: (_actor, error, restartInMs) => failures.push({ error, restartInMs }),
        deadLetter: (_actor, kind, error) => deadLetters.push({ kind, error }),
      },
    },
  )
  /** Runs passes until none is scheduled; no time passes. */
  const runAll = async () => {
    for (let round = 0; round < 3; round++) {
      passAll()
      await nextTurn()
    }
  }
  return {
    cell,
    clock,
    failures,
    deadLetters,
    built: () => instances,
    offer: (...ns: number[]) => ns.map((n) => cell.mailbox.offer(mail(n))),
    runAll,
    async pass(ms: number) {
      clock.advance(ms)
      await runAll()
    },
  }
}

/** An actor that records the messages it receives and throws at the chosen ones. */
export function recorder(received: number[][], throwsFor: (n: number) => boolean = () => false) {
  return {
    slots: [] as Slot[],
    receive(batch: readonly Mail[], slots: readonly Slot[]) {
      received.push(batch.map(({ n }) => n))
      this.slots.push(...slots)
      for (const { n } of batch) if (throwsFor(n)) throw new Error(`cannot stand ${n}`)
    },
  }
}
