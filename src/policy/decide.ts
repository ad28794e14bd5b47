import { LRUCache } from 'lru-cache'
import { fits } from './condition.ts'
import type { Decide, Decision } from './decision.ts'
import { outcomeKey } from './default.ts'
import { type LabelsOf, type Subject, SubjectReader } from './fields.ts'
import { type Defaults, outcomeOf } from './outcome.ts'
import type { RouteSettings } from './route.ts'
import { comparedFields, compileRules, fitsPayload, type Rule } from './rules.ts'
import { type ScheduleSettings, Schedules } from './schedule.ts'

export interface PolicySettings extends Defaults {
  readonly routes: readonly RouteSettings[]
  readonly schedules: ReadonlyMap<string, ScheduleSettings>
}

/** Rules that fit the fields of an incident, before schedules, labels and payload are compared. */
interface Candidates {
  /** Rules whose conditions on fields fit, up to the first that decides whatever the rest of the incident is. */
  readonly rules: readonly Rule[]
  /** The outcome without overrides; absent when schedules, labels or payload matter. */
  readonly decision?: Decision
}

const MAX_REMEMBERED = 10_000

/**
 * Opens `decide` for rules. Results are remembered by the fields that rules look at: an incident whose fields are known
 * costs one look-up, and its payload is parsed only for a rule on labels or payload that its fields fit. Throws for
 * settings that the configuration would refuse.
 */
export function openDecide(settings: PolicySettings, labelsOf: LabelsOf): Decide {
  const rules = compileRules(settings.routes)
  const schedules = new Schedules(settings.schedules)
  const decisions = new LRUCache<string, Decision>({ max: MAX_REMEMBERED })
  const known = new LRUCache<string, Candidates>({ max: MAX_REMEMBERED })
  const keyOf = openKey(rules)

  function decisionOf(matching: readonly Rule[], subject: Subject): Decision {
    const routes = matching.map((rule) => rule.settings)
    const key = `${routes.map(({ name }) => name).join('\0')}\0\0${outcomeKey(subject)}`
    const remembered = decisions.get(key)
    if (remembered !== undefined) return remembered
    const decision = outcomeOf(routes, subject, undefined, settings)
    decisions.set(key, decision)
    return decision
  }

  function candidatesOf(subject: Subject): Candidates {
    const key = keyOf(subject)
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const fitting = fittingFields(rules, new SubjectReader(subject, labelsOf))
    const candidates = fitting.some(needsMore)
      ? { rules: fitting }
      : { rules: fitting, decision: decisionOf(fitting, subject) }
    known.set(key, candidates)
    return candidates
  }

  return (subject, overrides, now) => {
    const candidates = candidatesOf(subject)
    if (candidates.decision !== undefined && overrides === undefined) return candidates.decision
    const reader = new SubjectReader(subject, labelsOf)
    const matching = matchingRules(candidates.rules, reader, schedules.active(now))
    if (overrides === undefined) return decisionOf(matching, subject)
    return outcomeOf(
      matching.map((rule) => rule.settings),
      subject,
      overrides,
      settings,
    )
  }
}

/** Returns a function that makes the key of what is remembered: the fields that any rule looks at, and `outcomeKey`. */
function openKey(rules: readonly Rule[]): (subject: Subject) => string {
  const used = comparedFields(rules)
  return (subject) => {
    let key = outcomeKey(subject)
    for (const name of used) key += `\0${subject[name]}`
    return key
  }
}

function fittingFields(rules: readonly Rule[], reader: SubjectReader): Rule[] {
  const fitting: Rule[] = []
  for (const rule of rules) {
    if (!rule.onFields.every((condition) => fits(condition, reader))) continue
    fitting.push(rule)
    if (!rule.settings.continue && !needsMore(rule)) break
  }
  return fitting
}

const needsMore = ({ settings, onLabels, onPayload }: Rule) =>
  onLabels.length + onPayload.length > 0 || settings.during !== undefined || settings.outside !== undefined

/** Returns those of the candidates that match: all with `continue`, up to the first without. */
function matchingRules(candidates: readonly Rule[], reader: SubjectReader, active: ReadonlySet<string>): Rule[] {
  const matching: Rule[] = []
  for (const rule of candidates) {
    if (!isScheduled(rule, active) || !fitsPayload(rule, reader)) continue
    matching.push(rule)
    if (!rule.settings.continue) break
  }
  return matching
}

const isScheduled = ({ settings: { during, outside } }: Rule, active: ReadonlySet<string>) =>
  (during === undefined || active.has(during)) && (outside === undefined || !active.has(outside))
