import type { Payload } from '../../domain/incident.ts'
import { anyAlertFits, type Condition, compileCondition, fits, fittingLabels } from '../condition.ts'
import { type Field, type LabelSet, type LabelsOf, type Subject, SubjectReader } from '../fields.ts'
import { MatchCache } from '../matcher.ts'
import type { ConditionSettings } from '../route.ts'
import { compileSchedule, type ScheduleSettings } from '../schedule.ts'
import { covers } from '../subsumption.ts'
import { differentValues } from './equal.ts'
import type { AlertOf, CompiledSilence, SilenceSettings } from './settings.ts'

/** Access to payloads, which belongs to the intake. */
interface SilenceReaders {
  readonly labelsOf: LabelsOf
  /** Returns the firing alerts of a payload, each alone; undefined: more than can be compared. */
  alertsOf(payload: Payload): readonly AlertOf[] | undefined
}

/** Throws for conditions that `silenceFault` would refuse. */
export function compileSilence(
  { conditions, startsAt, endsAt, schedule, while: causes, equal = [], untilResolved }: SilenceSettings,
  readers: SilenceReaders,
): CompiledSilence {
  const cache = new MatchCache()
  const compiled = compiledOf(conditions, cache)
  const ofCause = causes && compiledOf(causes, cache)
  const stateAt = schedule === undefined ? undefined : compileSchedule(schedule)
  const fitsOwn = (subject: Subject) => fitsSilence(compiled, subject, readers)
  const isCause = (subject: Subject) => ofCause !== undefined && fitsAny(ofCause, subject, readers)
  const valuesOf = (subject: Subject, wanted: readonly Condition[]) =>
    differentValues(alertsThatFit(wanted, subject, readers), equal)
  return {
    fits: (subject) => fitsOwn(subject) && !isCause(subject),
    isCause: untilResolved ? fitsOwn : isCause,
    isKept: () => false,
    sharedValues(subject) {
      if (!fitsOwn(subject)) return undefined
      const found = valuesOf(subject, compiled)
      return found.length === 1 ? found[0] : undefined
    },
    causeValues: (subject) => (isCause(subject) ? valuesOf(subject, ofCause ?? []) : []),
    windowAt(now) {
      if (now >= endsAt) return { active: false, until: Number.POSITIVE_INFINITY }
      if (now < startsAt && stateAt === undefined) return { active: false, until: startsAt }
      if (stateAt === undefined) return { active: true, until: endsAt }
      const { active, until } = stateAt(Math.max(now, startsAt))
      if (active && now >= startsAt) return { active, until: Math.min(until, endsAt) }
      const next = active ? startsAt : until
      return { active: false, until: next < endsAt ? next : Number.POSITIVE_INFINITY }
    },
  }
}

/**
 * A group fits only if every firing alert of it does: a silence about one host must not hide another. The fields of the
 * group are compared first, because they need no payload.
 */
function fitsSilence(conditions: readonly Condition[], subject: Subject, readers: SilenceReaders): boolean {
  const group = new SubjectReader(subject, readers.labelsOf)
  const onFields = conditions.filter(({ part }) => part.kind === 'field' || part.kind === 'min severity')
  if (!onFields.every((condition) => fits(condition, group))) return false
  // All alerts of a group have its fingerprint.
  if (!isGroup(subject) || conditions.every(({ settings }) => settings.exact)) return fitsAll(conditions, group)
  const alone = aloneIn(subject, readers)
  return readers.alertsOf(group.payload())?.every((alert) => fitsAll(conditions, alone(alert))) ?? false
}

/** Reads an alert of a group as if it had come alone. */
const aloneIn =
  (subject: Subject, { labelsOf }: SilenceReaders) =>
  ({ payload, ...fields }: AlertOf) =>
    new SubjectReader({ ...subject, ...fields }, labelsOf, payload)

/** A group is a cause if any firing alert of it fits, because that one fires. */
function fitsAny(conditions: readonly Condition[], subject: Subject, readers: SilenceReaders): boolean {
  const group = new SubjectReader(subject, readers.labelsOf)
  if (!isGroup(subject)) return fitsAll(conditions, group)
  const ofAll = conditions.filter(({ part }) => part.kind === 'field' && ALIKE.has(part.name))
  if (!ofAll.every((condition) => fits(condition, group))) return false
  const alone = aloneIn(subject, readers)
  return readers.alertsOf(group.payload())?.some((alert) => fitsAll(conditions, alone(alert))) ?? false
}

/** Returns the labels of the firing alerts that fit, of an incident that fits. */
function alertsThatFit(conditions: readonly Condition[], subject: Subject, readers: SilenceReaders): LabelSet[] {
  const group = new SubjectReader(subject, readers.labelsOf)
  const each = isGroup(subject) ? (readers.alertsOf(group.payload()) ?? []).map(aloneIn(subject, readers)) : [group]
  return each.filter((reader) => fitsAll(conditions, reader)).flatMap((reader) => fittingLabels(conditions, reader))
}

/** Fields that all alerts of a group have in common. */
const ALIKE: ReadonlySet<string> = new Set<Field>(['sender', 'source', 'status', 'fingerprint'])

const isGroup = ({ sender }: Subject) => sender === 'grouped_alerts' || sender === 'dashboard_alerts'

const fitsAll = (conditions: readonly Condition[], reader: SubjectReader) =>
  conditions.every((condition) => condition.part.kind === 'label' || fits(condition, reader)) &&
  anyAlertFits(conditions, reader)

/** Compiles conditions for incidents of one alert. */
export function compileFits(settings: readonly ConditionSettings[]): (reader: SubjectReader) => boolean {
  const conditions = compiledOf(settings)
  return (reader) => fitsAll(conditions, reader)
}

const DAY_MS = 24 * 3_600_000
const MAX_WINDOW_MS = 30 * DAY_MS
const MAX_RECURRING_MS = 366 * DAY_MS
const MIN_QUIET_MS = 60_000
/** Longest time of a silence until resolved that names none. */
export const UNTIL_RESOLVED_MS = DAY_MS
/** Bounds the names and values of all conditions together: they are kept, listed and compared with every incident. */
const MAX_CONDITIONS = 16_384
const MAX_OWNER = 100
const MAX_COMMENT = 500
/** Every incident is compared with all of them. */
const MAX_VALUES = 1_000

interface SilenceFault {
  /** The part that has it, such as `while.equal`. */
  readonly part: string
  /** Follows the name of the part. */
  readonly message: string
}

/** Returns the first fault. `now`: epoch milliseconds, from which the year of a recurring silence counts. */
export function silenceFault(settings: SilenceSettings, now: number): SilenceFault | undefined {
  const { conditions, owner, comment } = settings
  const fault =
    conditionsFault('match', conditions) ?? equalFault(settings) ?? causeFault(settings) ?? quietFault(settings)
  if (fault !== undefined) return fault
  if (owner.trim() === '' || owner.length > MAX_OWNER)
    return { part: 'owner', message: `must be a person or a team, at most ${MAX_OWNER} characters` }
  if (comment.trim() === '' || comment.length > MAX_COMMENT)
    return { part: 'comment', message: `must say why, in at most ${MAX_COMMENT} characters` }
  if (settings.schedule === undefined && settings.while === undefined) return windowFault(settings)
  return recurringFault(settings, settings.schedule ?? [], now)
}

function conditionsFault(part: 'match' | 'while', conditions: readonly ConditionSettings[]): SilenceFault | undefined {
  if (lengthOf(conditions) > MAX_CONDITIONS)
    return { part, message: `must be at most ${MAX_CONDITIONS} characters long: make several silences` }
  if (conditions.reduce((sum, { values }) => sum + values.length, 0) > MAX_VALUES)
    return { part, message: `has more than ${MAX_VALUES} values: use patterns, or several silences` }
  if (fitsEverything(conditions))
    return { part, message: 'fits every incident: name a service, a label or another field' }
  return undefined
}

/** Labels whose values a cause and what it holds have in common. */
const MAX_EQUAL = 20

function equalFault({ equal, while: causes }: SilenceSettings): SilenceFault | undefined {
  if (equal === undefined) return undefined
  if (causes === undefined) return { part: 'while.equal', message: 'needs a match beside it' }
  if (equal.length > MAX_EQUAL || new Set(equal).size < equal.length || equal.some((name) => name.trim() === ''))
    return { part: 'while.equal', message: `must be names of labels, at most ${MAX_EQUAL} different ones` }
  return undefined
}

/** A silence never holds its causes: one whose conditions fit nothing else would hold nothing. */
function causeFault({ conditions, schedule, while: causes }: SilenceSettings): SilenceFault | undefined {
  if (causes === undefined) return undefined
  const fault = conditionsFault('while', causes)
  if (fault !== undefined) return fault
  if (schedule !== undefined)
    return { part: 'while', message: 'has no place beside a schedule: it says itself when the silence is in force' }
  if (covers(compiledOf(causes), compiledOf(conditions)))
    return {
      part: 'while',
      message: 'fits all that match fits: a silence does not hold the problems that keep it in force, so name others',
    }
  return undefined
}

const compiledOf = (conditions: readonly ConditionSettings[], cache = new MatchCache()): Condition[] =>
  conditions.map((condition) => compileCondition(condition, cache))

function windowFault({ startsAt, endsAt, untilResolved }: SilenceSettings): SilenceFault | undefined {
  const part = untilResolved ? 'max' : 'ends_at'
  if (endsAt <= startsAt) return { part, message: 'must be after the begin' }
  if (endsAt - startsAt > MAX_WINDOW_MS) return { part, message: 'must be at most 30 days after the begin' }
  return undefined
}

function quietFault({ untilResolved, quietMs }: SilenceSettings): SilenceFault | undefined {
  if (quietMs === undefined) return undefined
  if (!untilResolved) return { part: 'quiet_for', message: 'belongs to "until: resolved"' }
  return quietMs < MIN_QUIET_MS || quietMs > DAY_MS
    ? { part: 'quiet_for', message: 'must be a time from 1m to 24h' }
    : undefined
}

/** Also for one with causes: its windows are theirs. */
function recurringFault(
  { startsAt, endsAt, untilResolved, while: causes }: SilenceSettings,
  schedule: ScheduleSettings,
  now: number,
): SilenceFault | undefined {
  if (untilResolved)
    return {
      part: 'until_resolved',
      message: `has no place beside a ${causes === undefined ? 'schedule' : 'while'}: the first quiet window would end it for good`,
    }
  if (schedule.some(({ forMs }) => forMs > MAX_WINDOW_MS))
    return { part: 'schedule', message: 'must have windows of at most 30 days' }
  if (endsAt <= startsAt) return { part: 'until', message: 'must be after the begin' }
  if (endsAt > now + MAX_RECURRING_MS) return { part: 'until', message: 'must be at most one year ahead' }
  return undefined
}

const lengthOf = (conditions: readonly ConditionSettings[]) =>
  conditions.reduce((sum, { field, values }) => sum + field.length + values.join('').length, 0)

/** Texts that have nothing in common; a condition that fits all of them fits any. */
const PROBES = ['', 'a', 'db-1', 'Disk is full on host 17', 'critical', 'Ä/?']

const fitsEverything = (conditions: readonly ConditionSettings[]): boolean =>
  compiledOf(conditions).every(
    ({ part, matcher }) => part.kind !== 'min severity' && PROBES.every((probe) => matcher.matches(probe)),
  )
