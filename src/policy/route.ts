import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { GroupSettings } from './bundles/group.ts'
import type { Priority } from './decision.ts'

/** One rule of `routes`, as configured. Plain data and Maps, so that it can be posted to any thread. */
export interface RouteSettings {
  readonly name: string
  /** File and line, such as `config.yaml:112`. */
  readonly where: string
  /** All have to match; without any the rule matches every incident. */
  readonly conditions: readonly ConditionSettings[]
  /** Names of schedules: the rule matches while the one is active and the other is not. */
  readonly during?: string
  readonly outside?: string
  /** Rules behind this one may add to it. */
  readonly continue: boolean
  /** Absent: the default destinations of all enabled channels. Empty: none. */
  readonly to?: readonly RouteDestination[]
  /** Absent parts: as `oncall` says. */
  readonly oncall?: RouteOncall
  /** Absent: by the severity. */
  readonly priority?: Priority
  /** `none`: its incidents are in no group. Absent: as `noise.group` says. */
  readonly group?: GroupSettings | 'none'
  /** Paths by channel; other channels use their own. */
  readonly templates: ReadonlyMap<ChannelName, string>
}

export interface ConditionSettings {
  /** A name of `FIELDS`, `min_severity`, `labels.<name>` or `payload.<path>`. */
  readonly field: string
  /** Any of them has to match. */
  readonly values: readonly string[]
  readonly where: string
  /** The values stand for themselves: no pattern, no negation. */
  readonly exact?: true
}

export interface RouteDestination {
  readonly channel: ChannelName
  /** Name of another destination of the channel; absent: its default one. */
  readonly target?: string
}

interface RouteOncall {
  readonly enable?: boolean
  readonly waitMs?: number
  /** Name of another destination of the provider. */
  readonly target?: string
  /** Name of an escalation. */
  readonly escalation?: string
}

interface RouteTemplate {
  readonly channel: ChannelName
  readonly path: string
  /** The first rule that names it, with file and line. */
  readonly namedBy: string
}

/** Returns the templates that the rules name, each once. */
export function routeTemplates(routes: readonly RouteSettings[]): readonly RouteTemplate[] {
  const found = new Map<string, RouteTemplate>()
  for (const { name, where, templates } of routes)
    for (const [channel, path] of templates) {
      const key = `${channel} ${path}`
      if (!found.has(key)) found.set(key, { channel, path, namedBy: `the rule ${name}, ${where}` })
    }
  return [...found.values()]
}
