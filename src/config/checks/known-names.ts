import { isObject } from '../../text/json-object.ts'
import type { Issue, Lookup } from '../config-error.ts'
import { suggest } from '../suggest.ts'

/** Keys that name the other destinations of a channel. */
const OTHERS = ['other_channel_ids', 'other_flow_urls', 'other_recipients', 'other_webhook_urls', 'other_topics']

/** Keys that name the other destinations of a provider. */
export const OTHER_PAGES = new Map<unknown, string>([
  ['pagerduty', 'oncall.pagerduty.other_routing_keys'],
  ['incident_io', 'oncall.incident_io.other_alert_source_config_ids'],
  ['aws_incident_manager', 'oncall.aws_incident_manager.other_response_plan_arns'],
  ['servicenow', 'oncall.servicenow.other_instance_urls'],
])

/** Returns the names of the other destinations of a channel. */
export const otherNames = (channel: string, get: Lookup): string[] =>
  namesOf(get, ...OTHERS.map((key) => `alert.${channel}.${key}`))

/** Yields an issue when a text is none of the names. */
export function* known(path: Issue['path'], name: unknown, names: readonly string[], kind = 'another destination') {
  if (typeof name !== 'string' || names.includes(name)) return
  const nearest = suggest(name, names)
  const advice = nearest === undefined ? choice(names) : `; did you mean "${nearest}"?`
  yield { path, message: `${JSON.stringify(name)} is not the name of ${kind}${advice}` }
}
const choice = (names: readonly string[]) =>
  names.length > 0 ? `; known: ${names.join(', ')}` : '; none is configured'

/** Returns the keys of the maps at the paths. */
export function namesOf(get: Lookup, ...paths: readonly (string | undefined)[]): string[] {
  return paths.flatMap((path) => {
    const found = path === undefined ? undefined : get(path)
    return isObject(found) ? Object.keys(found) : []
  })
}
