import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { Overrides } from '../domain/incident.ts'
import { type EscalationPolicy, type OncallPolicy, pageAfterMs, pageTarget } from '../domain/oncall.ts'
import { severityRank } from '../domain/severity.ts'
import type { GroupSettings } from './bundles/group.ts'
import type { DecidedDestination, Decision, Priority } from './decision.ts'
import type { Subject } from './fields.ts'
import type { RouteDestination, RouteSettings } from './route.ts'

/** Settings that apply where no rule says otherwise. */
export interface Defaults {
  /** The enabled channels. */
  readonly channels: readonly ChannelName[]
  /** Absent: no on-call provider is configured, and only escalations page. */
  readonly oncall?: OncallPolicy
  /** Absent: there are none. */
  readonly escalate?: EscalationPolicy
  /** Grouping of incidents whose rules say nothing of it; absent: none. */
  readonly group?: GroupSettings
}

/** Facts of an incident that an outcome depends on, beside rules and overrides. */
export type Facts = Pick<Subject, 'status' | 'severity' | 'source'>

/** Returns the decision that the matching rules and the overrides of the request make. No rule: the defaults apply. */
export function outcomeOf(
  rules: readonly RouteSettings[],
  facts: Facts,
  overrides: Overrides | undefined,
  defaults: Defaults,
): Decision {
  const page = pageOf(rules, facts, overrides, defaults)
  const group = groupOf(rules, defaults.group)
  return {
    destinations: overridden(destinationsOf(rules, defaults.channels), overrides, defaults.channels),
    priority: priorityOf(rules, facts.severity),
    ...(page !== undefined && { page }),
    ...(group !== undefined && { group }),
    rules: rules.map(({ name, where }) => ({ name, where })),
  }
}

/** Returns the largest number of destinations that one incident can have, when its request adds the channels left out. */
export function mostDestinations({
  routes,
  channels,
}: Defaults & { readonly routes: readonly RouteSettings[] }): number {
  const sizes = routes.map((rule, at) => {
    const adding = routes.slice(0, at).filter((earlier) => earlier.continue)
    const found = [...destinationsOf([...adding, rule], channels).values()]
    return found.length + channels.filter((name) => !found.some(({ channel }) => channel === name)).length
  })
  return Math.max(channels.length, ...sizes)
}

/** Returns the union of the rules' destinations; the first rule that names one chooses its template. */
function destinationsOf(
  rules: readonly RouteSettings[],
  channels: readonly ChannelName[],
): ReadonlyMap<string, DecidedDestination> {
  const found = new Map<string, DecidedDestination>()
  const all = channels.map((channel): RouteDestination => ({ channel }))
  for (const { to = all, templates } of rules.length === 0 ? [NO_RULE] : rules)
    for (const destination of to) {
      const key = `${destination.channel}\0${destination.target ?? ''}`
      const template = templates.get(destination.channel)
      if (channels.includes(destination.channel) && !found.has(key))
        found.set(key, template === undefined ? destination : { ...destination, template })
    }
  return found
}
const NO_RULE: Pick<RouteSettings, 'to' | 'templates'> = { templates: new Map() }

/** A target of the request replaces all destinations of its channel, and adds the channel where the rules leave it out. */
function overridden(
  found: ReadonlyMap<string, DecidedDestination>,
  overrides: Overrides | undefined,
  channels: readonly ChannelName[],
): readonly DecidedDestination[] {
  const targets = overrides?.targets
  if (targets === undefined) return [...found.values()]
  const chosen = channels.filter((channel) => Object.hasOwn(targets, channel))
  const kept = [...found.values()].filter(({ channel }) => !chosen.includes(channel))
  const added = chosen.map((channel): DecidedDestination => {
    const template = [...found.values()].find((each) => each.channel === channel)?.template
    const target = targets[channel] ?? undefined
    return { channel, ...(target !== undefined && { target }), ...(template !== undefined && { template }) }
  })
  return [...kept, ...added]
}

/** Returns the earliest page of all rules; overrides replace each part. */
function pageOf(
  rules: readonly RouteSettings[],
  facts: Facts,
  overrides: Overrides | undefined,
  { oncall, escalate }: Pick<Defaults, 'oncall' | 'escalate'>,
): Decision['page'] {
  const policy = oncall ?? escalate
  if (policy === undefined) return undefined
  const chosen = oncall && pageTarget(overrides, oncall.provider)
  const pages = (rules.length === 0 ? [undefined] : rules).flatMap((rule) => {
    const { enable = policy.enable, target: own, escalation = escalate?.escalation, ...given } = rule?.oncall ?? {}
    const usual = escalation === undefined ? oncall?.waitMs : escalate?.waits.get(escalation)
    if (usual === undefined) return []
    const waitMs = pageAfterMs(facts, overrides, { enable, waitMs: given.waitMs ?? usual })
    const target = chosen ?? own
    if (waitMs === undefined) return []
    return [{ waitMs, ...(target !== undefined && { target }), ...(escalation !== undefined && { escalation }) }]
  })
  return pages.reduce<Decision['page']>(
    (first, page) => (first && first.waitMs <= page.waitMs ? first : page),
    undefined,
  )
}

/** Returns the grouping of the first rule that says something of it. */
function groupOf(rules: readonly RouteSettings[], otherwise: GroupSettings | undefined): Decision['group'] {
  const rule = rules.find(({ group }) => group !== undefined)
  if (rule?.group === 'none') return undefined
  if (rule?.group !== undefined) return { rule: rule.name, ...rule.group }
  return otherwise && { rule: '', ...otherwise }
}

const LOUDNESS: readonly Priority[] = ['low', 'normal', 'high']

/** Returns the priority without rules: critical is high, info and debug are low. */
export function usualPriority(severity: string): Priority {
  const rank = severityRank(severity)
  return rank === 0 ? 'high' : rank >= 3 ? 'low' : 'normal'
}

/** Returns the highest priority of the rules; a rule without one has the usual. */
function priorityOf(rules: readonly RouteSettings[], severity: string): Priority {
  const usual = usualPriority(severity)
  const given = rules.map(({ priority = usual }) => LOUDNESS.indexOf(priority))
  return given.length === 0 ? usual : (LOUDNESS[Math.max(...given)] ?? usual)
}
