/** A stream of alerts: `problems` of them take turns, and `criticals` are hidden among them, each of a problem of its own. */
export interface AlertStream {
  readonly count: number
  readonly problems: number
  readonly criticals: number
}

interface Alert {
  readonly ServiceName: string
  readonly title: string
  readonly severity: string
  readonly status: string
  /** The mark of the incident, for `DigestAccount`. */
  readonly Logs: string
}

const SERVICES = ['db', 'web', 'mail', 'cache', 'search', 'billing']

/** Returns the nth alert, from 0. */
export function alertAt(nth: number, { count, problems, criticals }: AlertStream): Alert {
  const gap = Math.floor(count / (criticals + 1))
  const hidden = criticals > 0 && nth > 0 && nth % gap === 0 && nth / gap <= criticals
  const which = nth % problems
  return {
    ServiceName: hidden ? 'payments' : (SERVICES[which % SERVICES.length] ?? ''),
    title: hidden ? `Card declines in region ${nth / gap}` : `Replica ${which} lags behind`,
    severity: hidden ? 'critical' : 'warning',
    status: 'firing',
    Logs: `n${nth}e`,
  }
}
