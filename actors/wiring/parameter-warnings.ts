import type { Clock } from '../../src/kernel/clock.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { LogRateLimiter } from '../../src/telemetry/log-rate-limiter.ts'

interface ParameterWarningsDeps {
  readonly log: Pick<LiveLog, 'warn'>
  readonly clock: Clock
  /** Counts one request. */
  count(): void
}

/** Each request of a sender may be wrong in the same way. */
const BURST = 20
const EVERY_MS = 5_000

/** Opens the report of requests whose parameters have no effect: counted, and logged at a bounded rate. */
export function openParameterWarnings({ log, clock, count }: ParameterWarningsDeps) {
  const budget = new LogRateLimiter(BURST, EVERY_MS, clock.elapsed())
  return (warnings: readonly string[]): void => {
    count()
    const notLogged = budget.take(clock.elapsed())
    if (notLogged === undefined) return
    log.warn({ warnings, ...(notLogged > 0 ? { notLogged } : {}) }, 'parameters of a request have no effect')
  }
}
