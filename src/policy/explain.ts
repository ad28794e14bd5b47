import { destinationName } from '../domain/delivery/delivery.ts'
import type { Overrides } from '../domain/incident.ts'
import { groupKey, groupValues, namedValues } from './bundles/group.ts'
import { anyAlertFits, type Condition, fits } from './condition.ts'
import type { PolicySettings } from './decide.ts'
import type { Decision } from './decision.ts'
import { comparedText } from './describe.ts'
import { type LabelsOf, type Subject, SubjectReader } from './fields.ts'
import { outcomeOf } from './outcome.ts'
import { compileRules, type Rule } from './rules.ts'
import { Schedules } from './schedule.ts'

/**
 * Stages: `route`, one step for each rule; `overrides`, one for each choice of the request; `destinations`; `priority`;
 * `group`, where there is a grouping; `on-call`.
 */
interface ExplainedStep {
  readonly stage: 'route' | 'overrides' | 'destinations' | 'priority' | 'group' | 'on-call'
  /** A word: of a rule `match`, `no`, or `not reached`; `default` when no rule matches. */
  readonly verdict: string
  /** One sentence without a full stop. */
  readonly because: string
  /** Name of the rule. */
  readonly rule?: string
  /** File and line of the rule, or of its condition that does not fit. */
  readonly line?: string
}

export interface Explanation {
  /** Equals that of `decide`. */
  readonly decision: Decision
  readonly steps: readonly ExplainedStep[]
}

export type Explain = (subject: Subject, overrides: Overrides | undefined, now: number) => Explanation

/** Opens `explain`, which decides as `decide` does, without a memory, and says why. Throws as `openDecide` does. */
export function openExplain(settings: PolicySettings, labelsOf: LabelsOf): Explain {
  const rules = compileRules(settings.routes)
  const schedules = new Schedules(settings.schedules)
  return (subject, overrides, now) => {
    const reader = new SubjectReader(subject, labelsOf)
    const active = schedules.active(now)
    const matching: Rule[] = []
    const steps: ExplainedStep[] = []
    for (const rule of rules) {
      const decider = matching.find((earlier) => !earlier.settings.continue)
      const step = decider === undefined ? ruleStep(rule, reader, active) : notReached(rule, decider)
      if (step.verdict === 'match') matching.push(rule)
      steps.push(step)
    }
    const routes = matching.map((rule) => rule.settings)
    const decision = outcomeOf(routes, subject, overrides, settings)
    if (routes.length === 0)
      steps.push({ stage: 'route', verdict: 'default', because: `none of ${rules.length} rules matches` })
    const outcome = [...outcomeSteps(decision, subject), ...groupSteps(decision, reader)]
    return { decision, steps: [...steps, ...overrideSteps(overrides), ...outcome] }
  }
}

const ofRule = ({ settings: { name, where } }: Rule) => ({ stage: 'route', rule: name, line: where }) as const

function notReached(rule: Rule, decider: Rule): ExplainedStep {
  return { ...ofRule(rule), verdict: 'not reached', because: `${decider.settings.name} decided, and does not continue` }
}

/** Compares conditions in the order in which `decide` does; the first that does not fit is the reason. */
function ruleStep(rule: Rule, reader: SubjectReader, active: ReadonlySet<string>): ExplainedStep {
  const { settings, onFields, onLabels, onPayload } = rule
  const { during, outside } = settings
  const refused = (because: string, line = settings.where): ExplainedStep => ({
    ...ofRule(rule),
    verdict: 'no',
    because,
    line,
  })
  const misfit = (conditions: readonly Condition[]) => {
    const found = conditions.find((condition) => !fits(condition, reader))
    return found && refused(comparedText(found, reader, false), found.settings.where)
  }
  const onField = misfit(onFields)
  if (onField) return onField
  if (during !== undefined && !active.has(during)) return refused(`the schedule ${during} is not active`)
  if (outside !== undefined && active.has(outside)) return refused(`the schedule ${outside} is active`)
  if (onLabels.length > 0 && !anyAlertFits(onLabels, reader))
    return misfit(onLabels) ?? refused('no single alert fits all conditions on labels', onLabels[0]?.settings.where)
  const onValue = misfit(onPayload)
  if (onValue) return onValue
  const reasons = [...onFields, ...onLabels, ...onPayload].map((condition) => comparedText(condition, reader, true))
  if (during !== undefined) reasons.push(`the schedule ${during} is active`)
  if (outside !== undefined) reasons.push(`the schedule ${outside} is not active`)
  return { ...ofRule(rule), verdict: 'match', because: reasons.join('; ') || 'the rule has no conditions' }
}

function overrideSteps(overrides: Overrides | undefined): ExplainedStep[] {
  const { targets = {}, oncallEnable, oncallWaitMinutes, pagerdutyRoutingKey, warnings = [] } = overrides ?? {}
  const choices = Object.entries(targets).map(([channel, target]) => `${channel}:${target ?? 'default'}`)
  if (oncallEnable !== undefined) choices.push(oncallEnable ? 'page' : 'do not page')
  if (oncallWaitMinutes !== undefined) choices.push(`page after ${oncallWaitMinutes} min`)
  if (pagerdutyRoutingKey !== undefined) choices.push(`routing key ${pagerdutyRoutingKey}`)
  return [
    ...choices.map((verdict) => ({ stage: 'overrides', verdict, because: 'the request chose it' }) as const),
    ...warnings.map((because) => ({ stage: 'overrides', verdict: 'no effect', because }) as const),
  ]
}

function outcomeSteps({ destinations, priority, page, rules }: Decision, { status }: Subject): ExplainedStep[] {
  const names = rules.map(({ name }) => name).join(', ')
  const byRule = (otherwise: string) => names || otherwise
  const told = destinations.map(destinationName).join(', ')
  return [
    { stage: 'destinations', verdict: told || 'none', because: byRule('no rule matches') },
    { stage: 'priority', verdict: priority, because: byRule('by its severity') },
    {
      stage: 'on-call',
      verdict: page === undefined ? 'no' : `page${escalated(page)} after ${page.waitMs / 1_000} s`,
      because:
        status === 'resolved'
          ? 'a resolved incident does not page'
          : byRule('as the section oncall and the request say'),
    },
  ]
}

const escalated = ({ escalation }: NonNullable<Decision['page']>) =>
  escalation === undefined ? '' : ` by ${escalation}`

function groupSteps({ group }: Decision, reader: SubjectReader): ExplainedStep[] {
  if (group === undefined) return []
  const { rule, by } = group
  const step = {
    stage: 'group',
    because: `${rule || 'noise.group'} groups by ${by.join(', ') || 'nothing: all are one group'}`,
  } as const
  const values = groupValues(by, reader)
  if (groupKey(rule, by, values) === undefined)
    return [{ ...step, verdict: 'no', because: `${step.because}, of which it has none` }]
  return [{ ...step, verdict: Object.values(namedValues(by, values)).join(', ') || 'all' }]
}
