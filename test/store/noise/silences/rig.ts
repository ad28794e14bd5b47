import type { TestContext } from 'node:test'
import type { ChannelName } from '../../../../src/domain/delivery/delivery.ts'
import type { Draft } from '../../../../src/domain/incident.ts'

import { firingAlerts, labelsOf } from '../../../../src/intake/recognise.ts'
import type { CompileSilence, SilenceSettings } from '../../../../src/policy/silences/settings.ts'
import { compileSilence } from '../../../../src/policy/silences/silence.ts'
import type { StoreOptions } from '../../../../src/store/store-options.ts'
import { draft, START, StoreRig } from '../../support.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export const compileForTests: CompileSilence = (settings) =>
  compileSilence(settings, { labelsOf, alertsOf: firingAlerts })

/** A silence of one hour for the service `db`. */
export const silenceOf = (changes: Partial<SilenceSettings> = {}): SilenceSettings => ({
  name: 'patches',
  where: '',
  conditions: [{ field: 'service', values: ['db'], where: '' }],
  startsAt: START,
  endsAt: START + HOUR,
  untilResolved: false,
  owner: 'Anna',
  comment: 'disks are replaced',
  ...changes,
})

/** A store with silences; what is due is handed out and confirmed at once. */
export class SilenceRig extends StoreRig {
  /** `channel: title`, in the order of sending; accounts of silences by their first line. */
  readonly told: string[] = []
  readonly paged: string[] = []

  constructor(t: TestContext, configured: readonly SilenceSettings[] = [], changes: Partial<StoreOptions> = {}) {
    const oncall = { enable: true, waitMs: 5 * MINUTE, provider: 'webhook' } as const
    super(t, { channels: ['chatws'], oncall, silences: { compile: compileForTests, configured }, ...changes })
  }

  /** Restarts with other silences in the configuration. */
  configure(configured: readonly SilenceSettings[]): void {
    this.reopen({ silences: { compile: compileForTests, configured } })
  }

  /** Commits an incident of the service `db`; returns its id. */
  incident(fingerprint: string, changes: Partial<Draft> = {}): string {
    const one = draft({ service: 'db', fingerprint, title: fingerprint, ...changes })
    this.commit({ drafts: [one] })
    return one.id
  }

  resolved = (fingerprint: string, changes: Partial<Draft> = {}) =>
    this.incident(fingerprint, { status: 'resolved', title: `${fingerprint} over`, ...changes })

  /** Hands out all that is due and confirms it, until nothing is due. */
  deliver(): void {
    const destinations = [...this.options.channels, 'oncall'] as const
    for (let turns = 0; turns < 50; turns++) {
      const { dispatches } = this.claimAll(destinations)
      if (dispatches.length === 0) return
      for (const dispatch of dispatches) {
        if (dispatch.kind === 'page') this.paged.push(`${dispatch.signal} ${dispatch.title}`)
        else this.told.push(`${dispatch.destination}: ${dispatch.title}`)
        this.settle(dispatch, { state: 'sent' })
      }
    }
    throw new Error('dispatches do not end')
  }

  /** Moves the clock and delivers. */
  at(ms: number): void {
    this.now = START + ms
    this.deliver()
  }

  takeTold(): string[] {
    return this.told.splice(0)
  }

  takePaged(): string[] {
    return this.paged.splice(0)
  }

  states(id: string): string[] {
    return this.detail(id).deliveries.map(
      ({ channel, state }: { channel: ChannelName; state: string }) => `${channel} ${state}`,
    )
  }
}
