import type { Entry } from '../../../src/alertmanager/table.ts'
import type { Alerts } from './alerts.ts'
import type { DoorDeps } from './door.ts'

/** One alert as readers of the API see it now. */
export interface AlertView
  extends Pick<
    Entry,
    | 'fingerprint'
    | 'problem'
    | 'state'
    | 'labels'
    | 'annotations'
    | 'startsAt'
    | 'updatedAt'
    | 'generatorURL'
    | 'validMs'
    | 'incident'
  > {
  /** Epoch milliseconds: end of the claim that lasts longest. */
  readonly endsAt: number
  /** Senders that claim that it fires, until a time in epoch milliseconds. */
  readonly claims: readonly { readonly sender: string; readonly until: number }[]
}

/** A reader waits so long to see what it has just sent. */
const SETTLE_MS = 2_000

export type AlertReads = ReturnType<typeof openAlertReads>

/** Opens the view of the alerts for the reads of the API. */
export function openAlertReads(alerts: Alerts, { askStorage, clock }: Pick<DoorDeps, 'askStorage' | 'clock'>) {
  const viewOf = (entry: Entry): AlertView => {
    const wall = clock.now() - clock.elapsed()
    const held = entry.claims.filter(({ until }) => until > clock.elapsed())
    const claims = held.map(({ sender, until }) => ({ sender, until: Math.round(until + wall) }))
    return { ...entry, claims, endsAt: Math.max(entry.updatedAt, ...claims.map(({ until }) => until)) }
  }
  const isFiring = (entry: Entry) => entry.state !== 'resolved' && entry.claims.length > 0
  return {
    /** Resolves when the table is read from the disk. Rejects with `not_ready` after 5 s. */
    loaded: alerts.whenLoaded,
    /** Resolves once all is applied that was committed before, or after two seconds. Returns the highest number that is. */
    async settled(): Promise<number> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = clock.setTimer(SETTLE_MS, () => resolve(false))
      const caughtUp = askStorage({ kind: 'caughtUp' }).then(() => true)
      const isAll = await Promise.race([promise, caughtUp.catch(() => false)]).finally(() => timer.cancel())
      return isAll ? Infinity : await askStorage({ kind: 'applied' })
    },
    /** Alerts that fire, by Alertmanager's fingerprint. */
    firing: (): AlertView[] =>
      [...alerts.table.entries.values()]
        .filter(isFiring)
        .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
        .map(viewOf),
  }
}
