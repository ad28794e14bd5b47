import { CodedError } from '../domain/errors.ts'
import type { Overrides } from '../domain/incident.ts'

/** The query parameters of POST /api/incidents that choose among configured names. */
export type AllowedOverrides = ReadonlyMap<string, AllowedValues>
interface AllowedValues {
  /** Absent for the pager's routing key. */
  readonly channel?: string
  readonly names: ReadonlySet<string>
}

const ROUTING_KEY = 'pagerduty_other_routing_key'
const MAX_WAIT_MINUTES = 7 * 24 * 60
const MAX_SHOWN = 100

/** Parameters by channel. Channels not listed have chats as destinations: `<channel>_other_channel_id`. */
const PARAMETERS = new Map([
  ['officechat', 'officechat_other_flow_url'],
  ['workchat', 'workchat_other_webhook_url'],
  ['email', 'email_other_recipients'],
  ['incident_io', 'incident_io_other_alert_source_config_id'],
])
const targetParameter = (channel: string) => PARAMETERS.get(channel) ?? `${channel}_other_channel_id`

export function allowedOverridesOf(
  knownTargets: { readonly [channel: string]: readonly string[] },
  knownRoutingKeys: readonly string[],
): AllowedOverrides {
  const targets = Object.entries(knownTargets).map(([channel, names]): [string, AllowedValues] => [
    targetParameter(channel),
    { channel, names: new Set(names) },
  ])
  return new Map([...targets, [ROUTING_KEY, { names: new Set(knownRoutingKeys) }]])
}

/**
 * Reads the overrides of a query. Ignores empty values and unknown parameters that do not look like overrides. Throws
 * bad_parameter.
 */
export function overridesOf(query: string, allowed: AllowedOverrides): Overrides | undefined {
  const given = new URLSearchParams(query)
  const targets: [string, string][] = []
  const overrides: { -readonly [K in keyof Overrides]: Overrides[K] } = {}
  for (const [name, value] of given) {
    const allowedValues = allowed.get(name)
    if (allowedValues === undefined && !looksLikeOverride(name)) continue
    if (given.getAll(name).length > 1) throw bad(`${name} is given more than once`)
    if (value === '') continue
    if (allowedValues !== undefined) {
      const chosen = chosenOf(name, value, allowedValues)
      if (allowedValues.channel === undefined) overrides.pagerdutyRoutingKey = chosen
      else targets.push([allowedValues.channel, chosen])
    } else if (name === 'oncall_enable') overrides.oncallEnable = booleanOf(name, value)
    else if (name === 'oncall_wait_minutes') overrides.oncallWaitMinutes = minutesOf(name, value)
    else throw bad(`${shown(name)} is not a known parameter; known: ${[...allowed.keys()].join(', ')}`)
  }
  if (targets.length > 0) overrides.targets = Object.fromEntries(targets)
  return Object.keys(overrides).length > 0 ? overrides : undefined
}

/** Looks like an override: an unknown one is a typing error of the sender rather than a foreign parameter. */
const looksLikeOverride = (name: string) => name.startsWith('oncall_') || name.includes('_other_')

function chosenOf(parameter: string, value: string, { names }: AllowedValues): string {
  if (names.has(value)) return value
  const known = names.size > 0 ? `known: ${[...names].join(', ')}` : 'none is configured'
  throw bad(`${parameter}: ${shown(value)} is not a known name; ${known}`)
}

function booleanOf(parameter: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw bad(`${parameter}: ${shown(value)} is neither true nor false`)
}

function minutesOf(parameter: string, value: string): number {
  const minutes = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (minutes <= MAX_WAIT_MINUTES) return minutes
  throw bad(`${parameter}: ${shown(value)} is not a number of minutes from 0 to ${MAX_WAIT_MINUTES}`)
}

/** Quotes a value of the client for an error text: escaped, at most 100 characters. */
const shown = (text: string) => JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text)
const bad = (message: string) => new CodedError('bad_parameter', message)
