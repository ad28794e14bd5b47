/** Meaning of a query parameter of an intake request. */
export type Parameter =
  | { readonly kind: 'oncall_enable' | 'oncall_wait_minutes' }
  /** Chooses a destination of `owner`, a channel or an on-call provider. */
  | { readonly kind: 'destination'; readonly owner: string }
  /** Begins with the name of a channel or provider, and means nothing. */
  | { readonly kind: 'unknown' }

/**
 * Parameters that choose a destination, by channel or provider: first the one of the documentation, then those of other
 * gateways.
 */
const CHOOSING = new Map<string, readonly string[]>([
  ['chatws', ['other_channel_id', 'channel_id']],
  ['msgapp', ['other_channel_id', 'channel_id', 'other_chat_id', 'chat_id']],
  ['messenger', ['other_channel_id', 'channel_id', 'user_id']],
  ['officechat', ['other_flow_url', 'other_power_url', 'other_webhook_url']],
  ['workchat', ['other_webhook_url']],
  ['email', ['other_recipients', 'to']],
  ['console', []],
  ['ntfy', ['other_topic']],
  ['pagerduty', ['other_routing_key']],
  ['incident_io', ['other_alert_source_config_id', 'other_alert_source']],
  ['aws_incident_manager', ['other_response_plan_arn', 'other_response_plan']],
  ['servicenow', ['other_instance_url', 'other_instance']],
])

/** Names of other gateways for our channels and providers. */
const ALIASES = new Map([
  ['slack', 'chatws'],
  ['telegram', 'msgapp'],
  ['viber', 'messenger'],
  ['msteams', 'officechat'],
  ['lark', 'workchat'],
  ['incidentio', 'incident_io'],
  ['awsim', 'aws_incident_manager'],
])

const OWNERS: readonly (readonly [prefix: string, owner: string])[] = [
  ...Array.from(CHOOSING.keys(), (owner) => [`${owner}_`, owner] as const),
  ...Array.from(ALIASES, ([alias, owner]) => [`${alias}_`, owner] as const),
]

/** Returns undefined for parameters of other programs, which are none of this service's business. */
export function parameterOf(name: string): Parameter | undefined {
  if (name === 'oncall_enable' || name === 'oncall_wait_minutes') return { kind: name }
  const [prefix, owner] = OWNERS.find(([each]) => name.startsWith(each)) ?? []
  if (prefix !== undefined && owner !== undefined && CHOOSING.get(owner)?.includes(name.slice(prefix.length)))
    return { kind: 'destination', owner }
  return prefix !== undefined || name.startsWith('oncall_') || name.includes('_other_')
    ? { kind: 'unknown' }
    : undefined
}

/** Returns the parameter of the documentation that chooses a destination of the owner. */
export const mainParameter = (owner: string): string => `${owner}_${CHOOSING.get(owner)?.[0] ?? ''}`
