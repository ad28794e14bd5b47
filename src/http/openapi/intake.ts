import { z } from 'zod'
import { ChangeRequest, ChangeStored } from '../../api/brief.ts'
import { jsonObject } from '../../api/fields.ts'
import { AliveAnswer, ReadyAnswer } from '../../api/health.ts'
import { CreatedAnswer, DuplicateAnswer, TopicAnswer } from '../../api/intake.ts'
import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { json, type Operation, operationsOf } from './operation.ts'

const intake = operationsOf('intake')
const health = operationsOf('health')

const TOPIC_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => code.startsWith('topic_'))

const BODY = ['body_empty', 'body_not_utf8', 'body_not_json', 'body_not_object', 'body_too_deep'] as const

const texts = (descriptions: { readonly [name: string]: string }) =>
  Object.fromEntries(
    Object.entries(descriptions).map(([name, text]) => [name, z.string().exactOptional().describe(text)]),
  )

const OVERRIDES = z.object({
  ...texts({
    officechat_other_flow_url: 'A name in `alert.officechat.other_flow_urls`',
    chatws_other_channel_id: 'A name in `alert.chatws.other_channel_ids`; likewise for msgapp and messenger',
    chatws_channel_id:
      'An id in that map, or `alert.chatws.channel_id`; any with `accept_ids`. Likewise msgapp and messenger',
    workchat_other_webhook_url: 'A name in `alert.workchat.other_webhook_urls`',
    ntfy_other_topic: 'A name in `alert.ntfy.other_topics`',
    email_other_recipients: 'A name in `alert.email.other_recipients`',
    email_to: 'Addresses in that map, or those of `alert.email.to`',
    pagerduty_other_routing_key: 'A name in `oncall.pagerduty.other_routing_keys`',
    incident_io_other_alert_source_config_id: 'A name in `oncall.incident_io.other_alert_source_config_ids`',
    aws_incident_manager_other_response_plan_arn: 'A name in `oncall.aws_incident_manager.other_response_plan_arns`',
    servicenow_other_instance_url: 'A name in `oncall.servicenow.other_instance_urls`',
  }),
  oncall_enable: z.boolean().exactOptional().describe('Whether the incident may page the on-call person'),
  oncall_wait_minutes: z.number().min(0).max(10_080).exactOptional().describe('Minutes until the page'),
})

/** Routes that senders and probes call. */
export const INTAKE: readonly Operation[] = [
  intake('post /api/incidents', 'Accept one incident or several, all or none', {
    description:
      'The answer comes after the incidents are on disk; `X-Incident-Id` is the id of the first one. The query chooses among the ' +
      'destinations of the configuration, by their names or ids. A parameter that names what is not configured has no effect: the incident ' +
      'goes to the default destination, and `X-Tocsin-Warning` of the 201 says so, as the incident does; with `http.strict_parameters` it is ' +
      'answered 400. In that header values are JSON strings in ASCII: `"caf\\u00e9"`. With `http.intake_token` in the configuration, senders send it as a bearer token.',
    query: OVERRIDES,
    headers: z.object({
      'Idempotency-Key': z
        .string()
        .min(1)
        .max(255)
        .exactOptional()
        .describe('A repetition of the key within 24 h creates nothing'),
    }),
    body: {
      'application/json': z.union([jsonObject, z.array(jsonObject)]),
      'application/x-ndjson': z.string().describe('One object per line'),
    },
    answers: {
      201: {
        description: 'Committed to disk. `X-Tocsin-Warning` names the parameters that have no effect',
        content: json(CreatedAnswer),
      },
      200: {
        description: 'The key was used before; `X-Incident-Id` is the id of that incident',
        content: json(DuplicateAnswer),
      },
    },
    errors: [
      ...BODY,
      'body_bad_encoding',
      'array_empty',
      'bad_parameter',
      'bad_idempotency_key',
      'unauthorized',
      'body_too_large',
      'too_many_incidents',
      'unsupported_type',
      'unsupported_encoding',
      'ingest_full',
      'backlog_full',
      'storage_full',
      'storage_down',
      'shutting_down',
    ],
  }),
  intake('post /api/changes', 'Store a marker of what was changed, such as a deployment, for the brief of a problem', {
    description:
      'It is no incident, and nobody is notified. At most 10 a second. With `http.intake_token` in the configuration, senders send it ' +
      'as a bearer token. Only with `brief.enable`.',
    body: json(ChangeRequest),
    answers: { 201: { description: 'Committed to disk', content: json(ChangeStored) } },
    errors: [
      ...BODY,
      'bad_parameter',
      'unauthorized',
      'not_found',
      'body_too_large',
      'too_many_attempts',
      'too_many_calls',
      'ask_timeout',
      'peer_down',
      'storage_full',
      'storage_down',
    ],
  }),
  intake('post /sns', 'Accept a message of the notification topic', {
    description:
      'Called by the topic service only; the signature of every message is verified. `topicsvc.https_endpoint_subscription_path` ' +
      'changes the path.',
    headers: z.object({
      'x-amz-sns-message-type': z.string().exactOptional(),
      'x-amz-sns-rawdelivery': z.string().exactOptional(),
    }),
    body: {
      'text/plain': z.string().describe('The envelope of the topic service'),
      'application/json': jsonObject,
    },
    answers: { 200: { description: 'Accepted', content: json(TopicAnswer) } },
    errors: [
      ...TOPIC_CODES,
      'not_found',
      'body_too_large',
      'ingest_full',
      'backlog_full',
      'storage_down',
      'shutting_down',
    ],
  }),
  health('get /healthz', 'Tell whether the process responds', {
    answers: { 200: { description: 'The process responds', content: json(AliveAnswer) } },
  }),
  health('get /readyz', 'Tell whether a write to the disk succeeds and every actor is up', {
    answers: { 200: { description: 'Ready', content: json(ReadyAnswer) } },
    errors: ['not_ready', 'shutting_down'],
  }),
  health('get /metrics', 'Metrics for Prometheus', {
    description: 'On its own port with `metrics.port`; absent with `metrics.enable: false`.',
    answers: { 200: { description: 'Metrics', content: { 'text/plain': z.string() } } },
  }),
  health('get /api/openapi.json', 'This document', {
    answers: { 200: { description: 'OpenAPI 3.1', content: json(jsonObject) } },
  }),
]
