import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
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

/** Opens the warning of deliveries whose destination is beyond the bound of the store; at most one a minute. */
export function openDestinationWarnings({ log, clock }: Pick<ParameterWarningsDeps, 'log' | 'clock'>) {
  const budget = new LogRateLimiter(1, 60_000, clock.elapsed())
  return (channel: ChannelName, target: string): void => {
    const notLogged = budget.take(clock.elapsed())
    if (notLogged === undefined) return
    log.warn(
      { channel, target, ...(notLogged > 0 ? { notLogged } : {}) },
      'requests name more destinations than are kept apart; the delivery goes to the default one of the channel',
    )
  }
}

/** Opens the warning of pages that retention forgets; at most one a minute. */
export function openPageWarnings({ log, clock }: Pick<ParameterWarningsDeps, 'log' | 'clock'>) {
  const budget = new LogRateLimiter(1, 60_000, clock.elapsed())
  return (page: { readonly problem: number; readonly target: string }): void => {
    const notLogged = budget.take(clock.elapsed())
    if (notLogged === undefined) return
    log.warn(
      { ...page, ...(notLogged > 0 ? { notLogged } : {}) },
      'a page was forgotten, because there are too many or its problem ended long ago: its end reaches no provider',
    )
  }
}
