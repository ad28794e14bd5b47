import { z } from 'zod'
import { camelKeys, flag, fraction, httpUrl, named, oneOf, secret, text } from '../settings/fields.ts'

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

/** `oncall`: when to page, and by which provider. */
export const oncall = z
  .object({
    enable: flag(false),
    wait_minutes: fraction(3, [0, WEEK_MINUTES]),
    provider: oneOf(['webhook', 'pagerduty', 'incident_io', 'aws_incident_manager', 'servicenow']),
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
