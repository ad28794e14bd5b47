import { CodedError } from '../../src/domain/errors.ts'
import type { SharedProgress } from '../../src/journal/progress.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { JournalPort } from '../../src/store/journal/port.ts'

/** Shorter than the deadline of a question from main, so that nothing happens after it was answered 503. */
const WAIT_MS = 4_000
/** A read waits so long for what was accepted before it, unless more than `NEAR` incidents are to be applied. */
const READ_WAIT_MS = 250
const NEAR = 1_000

interface Waiter {
  isOver(): boolean
  done(): void
}

/** Publishes how far the database is, and lets commands wait for it. */
export type PublishedProgress = ReturnType<typeof createApplyProgress>

export function createApplyProgress(
  shared: SharedProgress,
  journal: Pick<JournalPort, 'progress'>,
  clock: Pick<Clock, 'setTimer' | 'now'>,
  /** Returns the number of the last committed incident. Asked for numbers that this process knows nothing of. */
  lastCommitted: () => number = () => shared.committed,
) {
  const unapplied = () => Math.max(0, shared.committed - shared.applied)
  let oldestCommitAt: number | undefined
  let waiters: readonly Waiter[] = []

  function until(isOver: () => boolean, waitMs = WAIT_MS): Promise<void> {
    if (isOver()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = clock.setTimer(waitMs, () => {
        waiters = waiters.filter((other) => other !== waiter)
        reject(new CodedError('ask_timeout', 'the incident is not applied yet'))
      })
      const waiter: Waiter = {
        isOver,
        done() {
          timer.cancel()
          resolve()
        },
      }
      waiters = [...waiters, waiter]
    })
  }

  return {
    /** Call it after each transaction that applied, dispatched or settled, and after a checkpoint. */
    publish(): void {
      shared.setApplied(journal.progress())
      const ready = waiters.filter((waiter) => waiter.isOver())
      if (ready.length === 0) return
      waiters = waiters.filter((waiter) => !ready.includes(waiter))
      for (const { done } of ready) done()
    },
    /** Resolves when the incident is applied, at once when it is or is not committed. Rejects with `ask_timeout`. */
    async reached(number: number): Promise<void> {
      if (number <= shared.committed || number <= lastCommitted()) await until(() => number <= shared.applied)
    },
    /** Resolves when all that is committed now is applied, or when that takes longer than a reader should wait. */
    async soon(): Promise<void> {
      if (unapplied() > NEAR) return
      const committed = Math.max(shared.committed, lastCommitted())
      await until(() => shared.applied >= committed, READ_WAIT_MS).catch(() => {})
    },
    /** Resolves when all that is committed now is applied. Rejects with `ask_timeout`. */
    async caughtUp(): Promise<void> {
      const committed = Math.max(shared.committed, lastCommitted())
      await until(() => shared.applied >= committed)
    },
    /** Number of the last incident that is applied. */
    applied: () => shared.applied,
    /** Incidents that are committed and not applied. */
    unapplied,
    /** Records since when the oldest incident waits, epoch milliseconds; undefined: none is known to wait. */
    waitingSince(committedAt: number | undefined): void {
      oldestCommitAt = committedAt
    },
    /** Age of that commit while it waits; 0 when none waits. */
    lagMs: (): number =>
      oldestCommitAt === undefined || unapplied() === 0 ? 0 : Math.max(0, clock.now() - oldestCommitAt),
  }
}
