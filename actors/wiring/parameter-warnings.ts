import type { ChannelName } from '../../src/domain/delivery/delivery.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { LiveLog } from '../../src/telemetry/log.ts'
import { openWarnings } from '../../src/telemetry/rate-limit.ts'

interface WarningsDeps {
  readonly log: Pick<LiveLog, 'warn'>
  readonly clock: Clock
}

/** Each request of a sender may be wrong in the same way. */
const OF_REQUESTS = { burst: 20, everyMs: 5_000 }
const ONE_A_MINUTE = { burst: 1, everyMs: 60_000 }

/** Opens the report of requests whose parameters have no effect: each calls `count`, and the log has them at a bounded rate. */
export function openParameterWarnings({ count, ...deps }: WarningsDeps & { count(): void }) {
  const warn = openWarnings(deps, OF_REQUESTS)
  return (warnings: readonly string[]): void => {
    count()
    warn({ warnings }, 'parameters of a request have no effect')
  }
}

/** Opens the warning of deliveries whose destination is beyond the bound of the store; at most one a minute. */
export function openDestinationWarnings(deps: WarningsDeps) {
  const warn = openWarnings(deps, ONE_A_MINUTE)
  return (channel: ChannelName, target: string): void =>
    warn(
      { channel, target },
      'requests name more destinations than are kept apart; the delivery goes to the default one of the channel',
    )
}

/** Opens the warning of pages that retention forgets; at most one a minute. */
export function openPageWarnings(deps: WarningsDeps) {
  const warn = openWarnings(deps, ONE_A_MINUTE)
  return (page: { readonly problem: number; readonly target: string }): void =>
    warn(
      page,
      'a page was forgotten, because there are too many or its problem ended long ago: its end reaches no provider',
    )
}
