import { setImmediate as turn } from 'node:timers/promises'
import { type Alerts, createAlerts } from '../../../../actors/main/doors/alerts.ts'
import type { SystemSettings } from '../../../../actors/wiring/settings.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { Payload } from '../../../../src/domain/incident.ts'
import { recognise } from '../../../../src/intake/recognise.ts'
import type { StoredAlert } from '../../../../src/store/alerts/alerts.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

export const SECOND = 1_000
export const MINUTE = 60 * SECOND

interface Incident {
  readonly status: 'firing' | 'resolved'
  readonly labels: { readonly [name: string]: string }
  readonly payload: Payload
  readonly at: number
}

interface Post {
  readonly labels: { readonly [name: string]: string }
  /** Milliseconds from now until it ends; 0: it is resolved; undefined: no `endsAt`. */
  readonly forMs?: number | undefined
  readonly [field: string]: unknown
}

/** The alerts of the door, with a disk in memory and a clock that the test moves. */
export class AlertRig {
  readonly clock = new ManualClock()
  /** What was committed, in order. */
  readonly incidents: Incident[] = []
  readonly log: string[] = []
  /** Commits are refused. */
  refuses = false
  leads = true
  again: string[] = []
  unknownResolved = 0
  readonly limits = { enable: true, resolveTimeoutMs: 5 * MINUTE, startGraceMs: 15 * MINUTE, maxAlerts: 1_000 }
  /** Holds commits back until it is resolved. */
  gate: Promise<void> | undefined
  alerts: Alerts
  readonly #disk = new Map<string, StoredAlert>()
  readonly #resolvedByPerson = new Set<string>()

  constructor() {
    this.alerts = this.#create()
  }

  #create(): Alerts {
    const alerts = createAlerts({
      clock: this.clock,
      leads: () => this.leads,
      settings: () => ({ publicHost: '', intake: { alertmanager: this.limits } }) as unknown as SystemSettings,
      log: { info: (_: object, text: string) => this.log.push(text), error: (fields: object) => fail(fields) } as never,
      askStorage: (async () => ({ alerts: this.#stored(), next: undefined })) as never,
      unknownResolved: (times) => {
        this.unknownResolved += times
      },
      sentAgain: (entries) => this.again.push(...entries.map(({ labels }) => labels.alertname ?? '')),
      submit: async (_, payloads) => {
        await this.gate
        if (this.refuses) throw new CodedError('ingest_full')
        for (const payload of payloads) this.#apply(payload)
        return { id: `i-${this.incidents.length}` }
      },
    })
    alerts.start()
    return alerts
  }

  #apply(payload: Payload): void {
    const labels = payload.commonLabels as Incident['labels']
    const status = payload.status as Incident['status']
    const key = JSON.stringify(labels)
    this.incidents.push({ status, labels, payload, at: this.clock.elapsed() })
    this.#resolvedByPerson.delete(key)
    if (status === 'resolved') this.#disk.delete(key)
    else {
      const validMs = Number(payload.valid_ms)
      const endsAt = new Date(this.clock.now() + validMs).toISOString()
      const [alert] = payload.alerts as Payload[]
      this.#disk.set(key, { alert: { ...alert, endsAt }, validMs, isResolved: false })
    }
  }

  #stored(): StoredAlert[] {
    return Array.from(this.#disk, ([key, alert]) => ({ ...alert, isResolved: this.#resolvedByPerson.has(key) }))
  }

  post(address: string, ...alerts: readonly Post[]) {
    const body = alerts.map(({ forMs, ...alert }) => ({
      generatorURL: `http://${address}:9090/graph?g0.expr=up`,
      ...(forMs !== undefined && { endsAt: new Date(this.clock.now() + forMs).toISOString() }),
      startsAt: new Date(this.clock.now() - 10 * MINUTE).toISOString(),
      ...alert,
    }))
    return this.alerts.post(body, address)
  }

  /** Passes time in steps of a second, so that each look at the claims ends before the next. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= SECOND) {
      this.clock.advance(Math.min(left, SECOND))
      await turn()
    }
  }

  async eachMinute(times: number, act: (minute: number) => Promise<unknown>): Promise<void> {
    for (let minute = 0; minute < times; minute++) {
      await act(minute)
      await this.pass(MINUTE)
    }
  }

  /** `kill -9`, and a start after the time. */
  async crash(downMs = 0): Promise<void> {
    this.alerts.close()
    this.clock.advance(downMs)
    this.alerts = this.#create()
    await this.alerts.whenLoaded()
  }

  personResolves(labels: Incident['labels']): void {
    this.#resolvedByPerson.add(JSON.stringify(labels))
    this.alerts.mute(problemOf(labels))
  }

  /** Incidents since the call before, such as `Down firing`. */
  news(): string[] {
    const news = this.incidents.slice(this.#seen).map(({ status, labels }) => `${labels.alertname} ${status}`)
    this.#seen = this.incidents.length
    return news
  }
  #seen = 0

  get fires(): string[] {
    return [...this.alerts.table.entries.values()]
      .filter(({ state }) => state === 'firing' || state === 'muted')
      .map(({ labels }) => labels.alertname ?? '')
      .sort()
  }
}

const problemOf = (labels: Incident['labels']) =>
  recognise({ version: '4', groupLabels: {}, commonLabels: labels, alerts: [{ labels }] }).fingerprint

function fail(fields: object): never {
  throw (fields as { err?: Error }).err ?? new Error('a bug was logged')
}
