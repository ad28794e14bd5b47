import type { CellReport } from '../../src/kernel/cell.ts'
import type { StepReport } from '../../src/kernel/supervision/lifecycle.ts'
import type { SupervisorReport } from '../../src/kernel/supervision/supervisor.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { errorStack } from '../../src/text/error-text.ts'

export type LogReports = ReturnType<typeof logReports>

/** Writes the kernel's reports as log lines. */
export function logReports(log: Log) {
  return {
    cell: {
      failed: (actor, error, restartInMs) =>
        log.error({ actor, error: errorStack(error), restartInMs }, 'an actor failed; it is started again'),
      deadLetter: (actor, kind, error) =>
        log.error({ actor, kind, error: errorStack(error) }, 'a message made its actor fail twice; it was given up'),
    } satisfies CellReport,
    supervisor: {
      threadDown: (thread, error, restartInMs) =>
        log.error(
          { thread, error: error ? errorStack(error) : 'it exited', restartInMs },
          'a thread died; it is started again',
        ),
      threadUp: (thread, restarts) => restarts > 0 && log.warn({ thread, restarts }, 'a thread is up again'),
    } satisfies SupervisorReport,
    lifecycle: {
      failed: (step, error) => log.error({ step, error: errorStack(error) }, 'a step of the shutdown failed'),
    } satisfies StepReport,
    /** Logs a message that a link lost: no such actor or place on this thread, or, with an error, it cannot be posted. */
    lost: (peer: string) => (to: string, error?: unknown) =>
      log.error(
        { peer, to, ...(error === undefined ? {} : { error: errorStack(error) }) },
        'a message between threads was lost: a bug',
      ),
    answerFailed: (error: unknown) =>
      log.error({ error: errorStack(error) }, 'an intake request could not be answered: a bug'),
  }
}
