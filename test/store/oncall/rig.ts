import type { TestContext } from 'node:test'
import type { Draft } from '../../../src/domain/incident.ts'
import type { Escalation, OncallPerson, OncallRules, Way } from '../../../src/policy/oncall/escalation.ts'
import { escalationPart } from '../../../src/store/oncall/part.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { draft, StoreRig } from '../support.ts'

export const MINUTE = 60_000

const chat = (person: string, afterMs = 0): Way => ({
  kind: 'channel',
  channel: 'chatws',
  target: `person:${person}:1`,
  afterMs,
})
const mail = (person: string, afterMs: number): Way => ({
  kind: 'channel',
  channel: 'email',
  target: `person:${person}:2`,
  afterMs,
})

/** Reached by chat at once, and by mail after two minutes. */
const person = (key: string, name: string): [string, OncallPerson] => [
  key,
  { name, timeZone: 'Europe/Berlin', ways: [chat(key), mail(key, 2 * MINUTE)] },
]

/** Ada, then Ben after 8 minutes; one more round after 10. */
const OFFICE: Escalation = {
  name: 'office',
  steps: [
    { afterMs: 0, notify: [{ kind: 'person', name: 'ada' }] },
    { afterMs: 8 * MINUTE, notify: [{ kind: 'person', name: 'ben' }] },
  ],
  repeat: 1,
  repeatAfterMs: 10 * MINUTE,
}

export const rulesOf = (plan: Partial<Escalation> = {}, changes: Partial<OncallRules> = {}): OncallRules => ({
  people: new Map([person('ada', 'Ada Lovelace'), person('ben', 'Ben')]),
  schedules: new Map(),
  escalations: new Map([['office', { ...OFFICE, ...plan }]]),
  enable: true,
  gatewayPaces: new Map(),
  ...changes,
})

/** The part of the store's options that runs escalations. */
export const escalating = (rules: OncallRules): Pick<StoreOptions, 'escalations' | 'escalationPart'> => ({
  escalations: rules,
  escalationPart,
})

/** A store whose incidents page by the escalation `office`, and have no other destination. */
export class OncallRig extends StoreRig {
  constructor(t: TestContext, rules: OncallRules = rulesOf(), changes: Partial<StoreOptions> = {}) {
    super(t, {
      oncall: { enable: true, waitMs: 0, provider: 'webhook' },
      decide: ({ status }) => ({
        destinations: [],
        priority: 'normal',
        rules: [],
        ...(status === 'firing' && { page: { waitMs: 0, escalation: 'office' } }),
      }),
      ...escalating(rules),
      ...changes,
    })
  }

  /** Commits an incident of a problem; it fires unless told otherwise. */
  fire(fingerprint: string, changes: Partial<Draft> = {}): void {
    this.commit({ drafts: [draft({ fingerprint: `custom:${fingerprint}`, title: fingerprint, ...changes })] })
    this.turn({})
  }

  /** Hands out what is due, settles it as sent, and returns what was told to whom. */
  told(verdict: 'sent' | 'dead' = 'sent'): string[] {
    const { dispatches } = this.claimAll(['chatws', 'email'])
    return dispatches.map((dispatch) => {
      this.settle(dispatch, verdict === 'sent' ? { state: 'sent' } : { state: 'dead', reason: 'gone' })
      this.#messages.push(dispatch.number)
      const notice = dispatch.kind === 'page' ? undefined : dispatch.notice
      if (notice?.kind === 'line') return `${dispatch.target}: ${notice.text}`
      if (notice?.kind !== 'page') return dispatch.kind
      const late = notice.lateMs > 0 ? `, late by ${notice.lateMs / MINUTE} min` : ''
      return `${dispatch.target}: ${notice.shown.map(({ title }) => title).join(', ')}${late}`
    })
  }

  /** Moves the clock, and makes a turn at each minute. */
  pass(minutes: number): string[] {
    const told: string[] = []
    for (let at = 0; at < minutes; at++) {
      this.now += MINUTE
      told.push(...this.told())
    }
    return told
  }

  incidentOf = (fingerprint: string): Draft => draft({ fingerprint: `custom:${fingerprint}` })

  /** Numbers of the messages that were handed out. */
  readonly #messages: number[] = []
  messages = (): readonly number[] => this.#messages

  runs() {
    return this.store.oncallRuns?.list().runs ?? []
  }
}
