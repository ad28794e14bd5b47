import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { json, type Operation } from './operation.ts'
import { count, flag, list, object, payload, said, text } from './schema.ts'

const CREATED = {
  description: 'Committed to disk',
  content: json({
    anyOf: [
      object({ status: { const: 'Incident created' } }),
      object({ status: { const: 'Incidents created' }, count }),
    ],
  }),
}

const TOPIC_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => code.startsWith('topic_'))

/** What senders and probes call. */
export const INTAKE: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/incidents',
    tag: 'intake',
    summary: 'Take an incident, or several, all or none',
    description:
      'Answered when it is on disk; `X-Incident-Id` is the id of the first one. The query chooses among configured names: ' +
      '`officechat_other_flow_url`, `<channel>_other_channel_id`, `pagerduty_other_routing_key`, ' +
      '`incident_io_other_alert_source_config_id`. With `http.intake_token` set, senders show it as a bearer token.',
    query: {
      officechat_other_flow_url: said('A name in alert.officechat.other_flow_urls', text),
      chatws_other_channel_id: said('A name in alert.chatws.other_channel_ids; likewise msgapp and messenger', text),
      pagerduty_other_routing_key: said('A name in oncall.pagerduty.other_routing_keys', text),
      incident_io_other_alert_source_config_id: said(
        'A name in oncall.incident_io.other_alert_source_config_ids',
        text,
      ),
      oncall_enable: said('Whether this incident may page somebody', flag),
      oncall_wait_minutes: said('Until it does', { type: 'number', minimum: 0, maximum: 10_080 }),
    },
    headers: {
      'Idempotency-Key': said('The same key within 24 h creates nothing', { ...text, minLength: 1, maxLength: 255 }),
    },
    body: {
      'application/json': { anyOf: [payload, list(payload)] },
      'application/x-ndjson': said('One object a line', text),
    },
    answers: {
      201: CREATED,
      200: {
        description: 'The key was used before; X-Incident-Id is the id from then',
        content: json(object({ status: { const: 'Incident already created' } })),
      },
    },
    errors: [
      ...(['body_empty', 'body_not_utf8', 'body_not_json', 'body_not_object', 'body_too_deep'] as const),
      ...(['body_bad_encoding', 'array_empty', 'bad_parameter', 'bad_idempotency_key', 'unauthorized'] as const),
      ...(['body_too_large', 'too_many_incidents', 'unsupported_type', 'unsupported_encoding'] as const),
      ...(['ingest_full', 'backlog_full', 'storage_full', 'storage_down', 'shutting_down'] as const),
    ],
  },
  {
    method: 'post',
    path: '/sns',
    tag: 'intake',
    summary: 'Take a message of the notification topic',
    description:
      'Called by the topic service alone: every message is verified by its signature. `topicsvc.https_endpoint_subscription_path` moves it.',
    headers: { 'x-amz-sns-message-type': text, 'x-amz-sns-rawdelivery': text },
    body: { 'text/plain': said('The envelope of the topic service', text), 'application/json': payload },
    answers: { 200: { description: 'Taken', content: json(object({ status: text })) } },
    errors: [
      ...TOPIC_CODES,
      'not_found',
      'body_too_large',
      'ingest_full',
      'backlog_full',
      'storage_down',
      'shutting_down',
    ],
  },
  {
    method: 'get',
    path: '/healthz',
    tag: 'health',
    summary: 'Whether the process turns',
    answers: { 200: { description: 'It does', content: json(object({ status: { const: 'ok' } })) } },
  },
  {
    method: 'get',
    path: '/readyz',
    tag: 'health',
    summary: 'Whether a write to the disk succeeds and every actor is up',
    answers: { 200: { description: 'So it is', content: json(object({ status: { const: 'ready' } })) } },
    errors: ['not_ready', 'shutting_down'],
  },
  {
    method: 'get',
    path: '/metrics',
    tag: 'health',
    summary: 'Metrics for Prometheus',
    description: 'On another port when `metrics.port` says so; absent when `metrics.enable` is false.',
    answers: { 200: { description: 'Text', content: { 'text/plain': text } } },
  },
  {
    method: 'get',
    path: '/api/openapi.json',
    tag: 'health',
    summary: 'This description',
    answers: { 200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) } },
  },
]
