import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { Overrides } from '../domain/incident.ts'
import type { DecidedGroup } from './bundles/group.ts'
import type { Subject } from './fields.ts'

export const PRIORITIES = ['high', 'normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

/** Destinations, priority and page of an incident by routes and overrides, with the rules that matched. */
export interface Decision {
  /** Empty: the incident is kept, and no message is sent. */
  readonly destinations: readonly DecidedDestination[]
  readonly priority: Priority
  /** Absent: the incident does not page. */
  readonly page?: DecidedPage
  /** Absent: the incident is in no group. */
  readonly group?: DecidedGroup
  /** The rules that matched, in order; empty: none did, and the defaults apply. */
  readonly rules: readonly DecidedRule[]
}

export interface DecidedDestination {
  readonly channel: ChannelName
  /** Name of another destination of the channel; absent: its default one. */
  readonly target?: string
  /** Path of the template; absent: the channel's. */
  readonly template?: string
}

interface DecidedPage {
  /** Time from the commit to the page, or to the first step, in milliseconds. */
  readonly waitMs: number
  /** Name of another destination of the provider; absent: its default one. */
  readonly target?: string
  /** Name of the escalation; absent: the provider is paged. */
  readonly escalation?: string
}

interface DecidedRule {
  readonly name: string
  /** File and line of the rule, such as `config.yaml:112`. */
  readonly where: string
}

/**
 * Decides where an incident goes. Never throws. Equal outcomes for requests without overrides are the same object.
 * @param now epoch milliseconds, for rules with a schedule
 */
export type Decide = (subject: Subject, overrides: Overrides | undefined, now: number) => Decision
