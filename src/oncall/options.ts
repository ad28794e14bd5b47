import { z } from 'zod'
import { camelKeys, duration, flag, fraction, httpUrl, named, oneOf, secret, text } from '../settings/fields.ts'

const WEEK_MINUTES = 7 * 24 * 60
const RESPONSE_PLAN = /^arn:aws[a-z-]*:ssm-incidents:[^:]*:[^:]*:response-plan\/\S+$/

const responsePlan = () =>
  text().refine((arn) => arn === '' || RESPONSE_PLAN.test(arn), {
    error: 'must be the ARN of a response plan, such as arn:aws:ssm-incidents::111122223333:response-plan/name',
  })

/** A region is part of a host name, so nothing else may stand in it. */
const region = () =>
  text().refine((name) => /^([a-z]+(-[a-z]+)+-\d+)?$/.test(name), {
    error: 'must be an AWS region, such as eu-north-1',
  })

const table = () =>
  text('incident').refine((name) => /^\w+$/.test(name), {
    error: 'must be the name of a table, of letters, digits and "_", such as incident or em_event',
  })

/** Leaves out the names without a value, such as those whose variable is not set. */
const given = (others: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...others].filter(([, value]) => value !== ''))

const PROVIDERS = ['webhook', 'pagerduty', 'incident_io', 'aws_incident_manager', 'servicenow'] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** `oncall`: when to page, and by which provider. */
export const oncall = z
  .object({
    enable: flag(false),
    wait_minutes: fraction(3, [0, WEEK_MINUTES]),
    provider: oneOf(PROVIDERS),
    public_host: httpUrl(),
    /** Without a secret requests are not signed. */
    webhook: z.object({ url: httpUrl().meta({ secret: true }), secret: secret() }),
    pagerduty: z
      .object({
        routing_key: secret(),
        other_routing_keys: named(secret()),
        api_url: httpUrl('https://events.pagerduty.com'),
      })
      .transform(camelKeys),
    incident_io: z
      .object({
        api_key: secret(),
        alert_source_config_id: text(),
        other_alert_source_config_ids: named(text()),
        api_url: httpUrl('https://api.incident.io'),
      })
      .transform(camelKeys),
    aws_incident_manager: z
      .object({
        response_plan_arn: responsePlan(),
        other_response_plan_arns: named(responsePlan()).transform(given),
        region: region(),
        /** Empty, as is the secret: the AWS client looks in its usual places. */
        access_key_id: secret(),
        secret_access_key: secret(),
        /** Empty: the endpoint of the region. */
        api_url: httpUrl(),
      })
      .transform(camelKeys),
    servicenow: z
      .object({
        instance_url: httpUrl(),
        other_instance_urls: named(httpUrl()).transform(given),
        username: text(),
        password: secret(),
        /** An OAuth token, instead of user name and password. */
        token: secret(),
        /** `em_event` sends events; any other table gets a record for each problem. */
        table: table(),
        /** Resolution code of records, as the instance names it. */
        close_code: text('Solution provided'),
      })
      .transform(camelKeys),
  })
  .transform(({ wait_minutes, ...raw }) => ({
    ...camelKeys(raw),
    /** 0 pages at once. */
    waitMs: Math.round(wait_minutes * 60_000),
  }))

/** The chosen kind of provider, and the options of all kinds. */
export type ProviderSettings = Omit<z.output<typeof oncall>, 'enable' | 'publicHost' | 'waitMs'>

/** Keys by which a provider reaches one person, as for its other destinations. A webhook has one address for all. */
export const personalKeys = {
  routing_key: secret(),
  alert_source_config_id: text(),
  response_plan_arn: responsePlan(),
  instance_url: httpUrl(),
}
export const PERSONAL_KEYS: { readonly [name in ProviderName]?: keyof typeof personalKeys } = {
  pagerduty: 'routing_key',
  incident_io: 'alert_source_config_id',
  aws_incident_manager: 'response_plan_arn',
  servicenow: 'instance_url',
}

/** Returns the settings with more destinations of the chosen provider, for its sender alone. */
export function withKeys<Settings extends ProviderSettings>(
  settings: Settings,
  keys: ReadonlyMap<string, string>,
): Settings {
  const { pagerduty, incidentIo, awsIncidentManager: aws, servicenow } = settings
  const more = (others: ReadonlyMap<string, string>) => new Map([...others, ...keys])
  switch (settings.provider) {
    case 'pagerduty':
      return { ...settings, pagerduty: { ...pagerduty, otherRoutingKeys: more(pagerduty.otherRoutingKeys) } }
    case 'incident_io': {
      const otherAlertSourceConfigIds = more(incidentIo.otherAlertSourceConfigIds)
      return { ...settings, incidentIo: { ...incidentIo, otherAlertSourceConfigIds } }
    }
    case 'aws_incident_manager': {
      const otherResponsePlanArns = more(aws.otherResponsePlanArns)
      return { ...settings, awsIncidentManager: { ...aws, otherResponsePlanArns } }
    }
    case 'servicenow':
      return { ...settings, servicenow: { ...servicenow, otherInstanceUrls: more(servicenow.otherInstanceUrls) } }
    case 'webhook':
      return settings
    default:
      return settings.provider satisfies never
  }
}

const MAX_GATEWAYS = 10

/** `oncall.gateways`: programs of the operator that call people. */
export const gateways = named(
  z
    .object({
      url: httpUrl().meta({ secret: true }),
      /** Signs what is sent, and what comes back. */
      secret: secret(),
      pace: duration('2m', 1_000),
    })
    .transform(({ pace, ...raw }) => ({ ...raw, paceMs: pace })),
).refine(({ size }) => size <= MAX_GATEWAYS, { error: `must have at most ${MAX_GATEWAYS} gateways` })

/** Neither `url` nor `secret` is empty. `paceMs`: rest of a way after a message. */
export type GatewaySettings = z.output<typeof gateways> extends ReadonlyMap<string, infer One> ? One : never
