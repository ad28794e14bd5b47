import { runThread } from '../../src/kernel/thread.ts'
import { countingCell } from './counting.ts'

/** A thread of the kernel's with a counting actor, which answers every question with its sum. */
runThread(({ link, scheduler: turns }) => {
  const { cell, sum } = countingCell(turns)
  link('main').inlet('counting', cell.mailbox)
  return { cells: [cell], ask: sum, stop: () => cell.close() }
})
