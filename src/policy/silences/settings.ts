import type { Payload } from '../../domain/incident.ts'
import type { Subject } from '../fields.ts'
import type { Problem } from '../problem.ts'
import type { ConditionSettings } from '../route.ts'
import type { ScheduleSettings } from '../schedule.ts'

/** A silence as it was made. Plain data, so that it can be stored as JSON and posted to any thread. */
export interface SilenceSettings {
  readonly name: string
  /** File and line, such as `config.yaml:88`; empty for one that was not made by the configuration. */
  readonly where: string
  /** All have to fit; at least one. */
  readonly conditions: readonly ConditionSettings[]
  /** Epoch milliseconds. A recurring one has no window before. */
  readonly startsAt: number
  /** End for good, epoch milliseconds. */
  readonly endsAt: number
  /** Absent: one window from `startsAt` to `endsAt`. */
  readonly schedule?: ScheduleSettings
  /**
   * In force only while a problem fires whose newest incident fits all of these: its cause. At least one; never with a
   * schedule.
   */
  readonly while?: readonly ConditionSettings[]
  /**
   * Names of labels: a cause holds only incidents with its values of these; absent is a value. Such a silence holds
   * nothing itself: each set of values of its causes makes a child.
   */
  readonly equal?: readonly string[]
  /** Of a child, whose values stand in its conditions too. */
  readonly parent?: { readonly silence: number; readonly values: EqualValues }
  /** The one problem that it holds; its only condition fits the fingerprint. */
  readonly problem?: Pick<Problem, 'id' | 'fingerprint'>
  /**
   * Ends early, when it had no keeper for `quietMs` without a break. Keepers are problems that fire and whose newest incident
   * fits the conditions, and those of which this was so, until their flap score is below 2. Never with a schedule or `while`.
   */
  readonly untilResolved: boolean
  /** Absent: ten minutes. */
  readonly quietMs?: number
  readonly owner: string
  readonly comment: string
  /** Of one that came by Alertmanager's API: what its readers get back. */
  readonly asSent?: SentSilence
}

/** A matcher as Alertmanager's API has it. */
export interface SentMatcher {
  readonly name: string
  readonly value: string
  readonly isRegex: boolean
  readonly isEqual: boolean
}

interface SentSilence {
  readonly matchers: readonly SentMatcher[]
  readonly annotations: { readonly [name: string]: string }
  /** Epoch milliseconds. */
  readonly changedAt: number
}

/** Values of the labels that `equal` names, in its order. */
export type EqualValues = readonly string[]

/** One alert of a group, as if it had come alone. */
export interface AlertOf extends Pick<Subject, 'title' | 'service' | 'severity'> {
  readonly payload: Payload
}

/** State of a silence, and the time until which it certainly stays so. */
interface WindowState {
  readonly active: boolean
  /** Epoch milliseconds; infinity: no window comes any more. */
  readonly until: number
}

export interface CompiledSilence {
  /** Returns whether all firing alerts of an incident fit, and it is no cause of the silence. Never throws. */
  fits(subject: Subject): boolean
  /**
   * Returns whether any firing alert of an incident fits `while`, and of a silence until resolved whether all of them fit;
   * false for others. Never throws.
   */
  isCause(subject: Subject): boolean
  /** Returns the values that all firing alerts of an incident share; undefined: it does not fit, or they differ. */
  sharedValues(subject: Subject): EqualValues | undefined
  /** Returns the different values of the firing alerts that fit `while`. */
  causeValues(subject: Subject): readonly EqualValues[]
  /** Takes some tenths of a millisecond for a recurring one: ask at the edges only. Causes are not asked. */
  windowAt(now: number): WindowState
  /** A keeper of a silence until resolved fires. */
  isKept(): boolean
}

export type CompileSilence = (settings: SilenceSettings) => CompiledSilence
