import { z } from 'zod'
import { flag, fraction, httpUrl, named, oneOf, secret, text } from '../fields.ts'

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
    webhook: z.object({ url: httpUrl().meta({ secret: true }), secret: secret() }),
    pagerduty: z.object({
      routing_key: secret(),
      other_routing_keys: named(secret()),
      api_url: httpUrl('https://events.pagerduty.com'),
    }),
    incident_io: z.object({
      api_key: secret(),
      alert_source_config_id: text(),
      other_alert_source_config_ids: named(text()),
      api_url: httpUrl('https://api.incident.io'),
    }),
    aws_incident_manager: z.object({
      response_plan_arn: responsePlan(),
      other_response_plan_arns: named(responsePlan()),
      region: region(),
      access_key_id: secret(),
      secret_access_key: secret(),
      api_url: httpUrl(),
    }),
    servicenow: z.object({
      instance_url: httpUrl(),
      other_instance_urls: named(httpUrl()),
      username: text(),
      password: secret(),
      token: secret(),
      table: table(),
      close_code: text('Solution provided'),
    }),
  })
  .transform((raw) => ({
    enable: raw.enable,
    /** 0 pages at once. */
    waitMs: Math.round(raw.wait_minutes * 60_000),
    provider: raw.provider,
    publicHost: raw.public_host,
    webhook: raw.webhook,
    pagerduty: {
      routingKey: raw.pagerduty.routing_key,
      otherRoutingKeys: raw.pagerduty.other_routing_keys,
      apiUrl: raw.pagerduty.api_url,
    },
    incidentIo: {
      apiKey: raw.incident_io.api_key,
      alertSourceConfigId: raw.incident_io.alert_source_config_id,
      otherAlertSourceConfigIds: raw.incident_io.other_alert_source_config_ids,
      apiUrl: raw.incident_io.api_url,
    },
    awsIncidentManager: {
      responsePlanArn: raw.aws_incident_manager.response_plan_arn,
      otherResponsePlanArns: given(raw.aws_incident_manager.other_response_plan_arns),
      region: raw.aws_incident_manager.region,
      accessKeyId: raw.aws_incident_manager.access_key_id,
      secretAccessKey: raw.aws_incident_manager.secret_access_key,
      apiUrl: raw.aws_incident_manager.api_url,
    },
    servicenow: {
      instanceUrl: raw.servicenow.instance_url,
      otherInstanceUrls: given(raw.servicenow.other_instance_urls),
      username: raw.servicenow.username,
      password: raw.servicenow.password,
      token: raw.servicenow.token,
      table: raw.servicenow.table,
      closeCode: raw.servicenow.close_code,
    },
  }))
