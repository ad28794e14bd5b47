import type { GroupSettings } from '../policy/bundles/group.ts'
import type { PolicySettings } from '../policy/decide.ts'
import type { RouteDestination, RouteSettings } from '../policy/route.ts'
import type { SentMatcher } from '../policy/silences/settings.ts'
import { labelNameOf, matchersOf } from './conditions.ts'
import { operatorOf } from './matchers.ts'
import { quote } from './quoted.ts'

/** The receiver of what no rule takes. */
export const DEFAULT_RECEIVER = 'default'
/** Labels that a group is made by where no rule says anything. */
const USUAL_BY = ['alertname']
/** Every alert is a group of its own. */
const BY_ALL = ['...']
const CLASSIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/

/** Returns the labels that the alerts of a rule are grouped by. */
export function groupLabels(group: GroupSettings | 'none' | undefined): readonly string[] {
  if (group === undefined) return USUAL_BY
  return group === 'none' ? BY_ALL : [...new Set(group.by.map(labelNameOf))]
}

/**
 * Returns the rules as a configuration that Alertmanager's tools read: in their order, with conditions on labels as matchers,
 * and on anything else as matchers on pseudo labels. It has no address and no secret.
 */
export function routingConfig({ routes, group }: Pick<PolicySettings, 'routes' | 'group'>): string {
  const lines = ['route:', `  receiver: ${DEFAULT_RECEIVER}`, `  group_by: ${JSON.stringify(groupLabels(group))}`]
  if (routes.length > 0) lines.push('  routes:', ...routes.flatMap(routeLines))
  const names = new Set([DEFAULT_RECEIVER, ...routes.map(({ name }) => name)])
  return [...lines, 'receivers:', ...[...names].map((name) => `  - name: ${JSON.stringify(name)}`), ''].join('\n')
}

function routeLines(rule: RouteSettings): string[] {
  const texts = [...matchersOf(rule.conditions), ...scheduleMatchers(rule)].map(matcherText)
  return [
    `    - receiver: ${JSON.stringify(rule.name)}`,
    ...(rule.continue ? ['      continue: true'] : []),
    ...(rule.group === undefined ? [] : [`      group_by: ${JSON.stringify(groupLabels(rule.group))}`]),
    ...(texts.length === 0 ? [] : ['      matchers:', ...texts.map((text) => `        - ${JSON.stringify(text)}`)]),
  ]
}

const scheduleMatchers = ({ during, outside }: RouteSettings): SentMatcher[] =>
  Object.entries({ during, outside }).flatMap(([field, value]) =>
    value === undefined ? [] : [{ name: labelNameOf(field), value, isRegex: false, isEqual: true }],
  )

const matcherText = ({ name, value, ...matcher }: SentMatcher): string =>
  `${CLASSIC_NAME.test(name) ? name : quote(name)}${operatorOf(matcher)}${quote(value)}`

/** Returns the destinations of a rule as labels: `{ chatws: "payments", oncall: "yes" }`. */
export function receiverLabels(
  rule: Pick<RouteSettings, 'to' | 'oncall'>,
  { channels, oncall }: Pick<PolicySettings, 'channels' | 'oncall'>,
): { readonly [name: string]: string } {
  const labels: { [name: string]: string } = {}
  const all = channels.map((channel): RouteDestination => ({ channel }))
  for (const { channel, target = 'default' } of rule.to ?? all)
    if (channels.includes(channel))
      labels[channel] = labels[channel] === undefined ? target : `${labels[channel]},${target}`
  const pages = oncall !== undefined && (rule.oncall?.enable ?? oncall.enable)
  return { ...labels, ...(pages && { oncall: rule.oncall?.target ?? 'yes' }) }
}
