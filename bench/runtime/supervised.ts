import { runThread } from '../../src/kernel/thread.ts'
import { countingCell } from './counting.ts'

/** A supervised thread with a counting actor; each question is answered with the sum. */
runThread(({ link, scheduler: turns }) => {
  const { cell, sum } = countingCell(turns)
  link('main').inlet('counting', cell.mailbox)
  return { cells: [cell], ask: sum, stop: () => cell.close() }
})
