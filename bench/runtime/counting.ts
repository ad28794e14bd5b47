import { Cell, type Message } from '../../src/kernel/cell.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'

/** A small message, like most between the threads. */
export interface Numbered extends Message {
  readonly kind: 'numbered'
  readonly n: number
}

/**
 * Window of an edge to a counting actor. A batch is a quarter of it, so that the next messages arrive while one batch
 * is handled.
 */
export const WINDOW = 4_096

/** Creates an actor that adds up the numbers of its messages. */
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
