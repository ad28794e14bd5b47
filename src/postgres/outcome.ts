import { OutcomeUnknown, PostgresError, ServerChanged } from './errors.ts'
import type { Result } from './wire/reply.ts'
import type { Value } from './wire/types.ts'

const RETRY_MS = 50

/** A transaction whose COMMIT was sent. */
export interface Committing {
  /** Of `pg_current_xact_id`. */
  readonly xid: string
  /** Of `pg_backend_pid`. */
  readonly pid: number
}

interface OutcomeDeps {
  /** Runs a statement on a new connection, in a transaction of its own; throws while there is none. */
  ask(sql: string, values: readonly Value[]): Result
  /** Returns once all that the server committed is on the standbys that it waits for, too. */
  awaitStandbys(): void
  /** Looks for what the transaction wrote. Absent: the server's word counts. */
  readonly verify: (() => boolean) | undefined
  /** Of `performance.now`. */
  readonly deadline: number
}

/**
 * Returns whether a transaction took effect whose COMMIT got no answer. A crashed server may give the number of a lost
 * transaction to another one, so only the answer "no" is sure without `verify`. Throws `OutcomeUnknown` at the deadline,
 * and `ServerChanged`.
 */
export function outcomeOf(
  { xid, pid }: Committing,
  { ask, awaitStandbys, verify, deadline }: OutcomeDeps,
): 'committed' | 'aborted' {
  let mayTerminate = true
  return untilDeadline(deadline, () => {
    const status = statusOf(xid, ask)
    if (status === 'aborted') return 'aborted'
    if (status === 'in progress') {
      // Behind a cut network it may hold its locks for long. A commit that waits for a standby ends, and is committed.
      if (mayTerminate) ask(TERMINATE, [pid, String(BigInt.asUintN(32, BigInt(xid)))])
      mayTerminate = false
      throw new Error('the transaction is still in progress')
    }
    if (verify && !verify()) return 'aborted'
    awaitStandbys()
    return 'committed'
  })
}

/** The server has not given the number yet: it crashed before anything of the transaction was on its disk. */
const IN_THE_FUTURE = '22023'

function statusOf(xid: string, ask: OutcomeDeps['ask']): unknown {
  try {
    return ask('SELECT pg_xact_status($1::text::xid8)', [xid]).rows[0]?.[0]
  } catch (error) {
    if (error instanceof PostgresError && error.sqlstate === IN_THE_FUTURE) return 'aborted'
    throw error
  }
}

const TERMINATE =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1::int AND backend_xid::text = $2::text'

/** Repeats `attempt` while it throws, at least once; throws `OutcomeUnknown` at the deadline. */
export function untilDeadline<T>(deadline: number, attempt: () => T): T {
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (error instanceof ServerChanged) throw error
      if (performance.now() + RETRY_MS > deadline) throw new OutcomeUnknown(error)
      block(RETRY_MS)
    }
  }
}

const never = new Int32Array(new SharedArrayBuffer(4))

/** Blocks the thread. */
export function block(ms: number): void {
  Atomics.wait(never, 0, 0, ms)
}
