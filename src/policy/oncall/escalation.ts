import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { OncallSchedules } from './settings.ts'

/** Whom a step asks. */
export type Target =
  | { readonly kind: 'schedule'; readonly name: string }
  | { readonly kind: 'person'; readonly name: string }
  /** `target`: name of another destination of the channel; absent: its default one. */
  | { readonly kind: 'channel'; readonly channel: ChannelName; readonly target?: string }
  /** `target`: name of another destination of the on-call provider; absent: its default one. */
  | { readonly kind: 'provider'; readonly target?: string }

export interface EscalationStep {
  /** From the step before, or from the commit for the first one, in milliseconds. */
  readonly afterMs: number
  readonly notify: readonly Target[]
  /** Severity rank; a problem that is less loud (a higher rank) passes the step. Absent: none does. */
  readonly minRank?: number
}

/** The steps of the configuration; a run keeps them by value: its plan. */
export interface Escalation {
  readonly name: string
  readonly steps: readonly EscalationStep[]
  /** Rounds after the first. */
  readonly repeat: number
  readonly repeatAfterMs: number
  /** How long an acknowledgement holds; absent: until the problem is over. */
  readonly ackForMs?: number
}

/** How a person is reached. Ways are numbered from 0, in the order of the file. */
export type Way =
  /** Another destination of the channel, `person:<key>:<number from 1>`. */
  | { readonly kind: 'channel'; readonly channel: ChannelName; readonly target: string; readonly afterMs: number }
  | { readonly kind: 'gateway'; readonly gateway: string; readonly to: string; readonly afterMs: number }
  /** `target`: name of another destination of the on-call provider: `person:<key>:<number from 1>`. */
  | { readonly kind: 'provider'; readonly target: string; readonly afterMs: number }

/** Hours of each day, by the clock of the person, in which what is less loud than `belowRank` waits. */
export interface Quiet {
  /** Minutes from midnight; `until` may be before `from`: the hours reach into the next day. */
  readonly from: number
  readonly until: number
  /** Severity rank: what has a higher rank waits. */
  readonly belowRank: number
}

export interface OncallPerson {
  readonly name: string
  /** IANA name. */
  readonly timeZone: string
  readonly ways: readonly Way[]
  readonly quiet?: Quiet
}

/** What the store needs of on-call as code. Plain data: it crosses threads. */
export interface OncallRules {
  /** `oncall.enable`: what does not say otherwise pages. With escalations it needs no provider. */
  readonly enable: boolean
  readonly people: ReadonlyMap<string, OncallPerson>
  readonly schedules: OncallSchedules
  readonly escalations: ReadonlyMap<string, Escalation>
  /** Name of the escalation of what pages and names none; absent: one wait, then the provider. */
  readonly escalation?: string
  /** Rest of a way after a message, in milliseconds, by the name of a gateway. */
  readonly gatewayPaces: ReadonlyMap<string, number>
}

/** Addresses of people, for senders, by the name of the destination that each becomes: `person:ada:1`. */
export interface PersonalAddresses {
  readonly channels: ReadonlyMap<ChannelName, ReadonlyMap<string, string>>
  /** Keys of the on-call provider. */
  readonly provider: ReadonlyMap<string, string>
}
