import { Cell, type Message } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'

/** A small message, as most of the control plane's are. */
export interface Numbered extends Message {
  readonly kind: 'numbered'
  readonly n: number
}

/** Places of an edge to a counting actor, which reads a quarter of them at a time: the next ones arrive meanwhile. */
export const WINDOW = 4_096

/** An actor that reads its messages; `sum` is that of their numbers. */
export function countingCell(scheduler: TurnScheduler) {
  let sum = 0
  const cell = new Cell<Numbered>(
    {
      name: 'counting',
      mailbox: { capacity: WINDOW },
      batch: WINDOW / 4,
      slots: 'auto',
      build: () => ({
        receive(batch) {
          for (const { n } of batch) sum += n
        },
      }),
    },
    { clock: systemClock, scheduler, report: { failed() {}, deadLetter() {} } },
  )
  return { cell, sum: () => sum }
}
