import { CHANNEL_NAMES } from '../../domain/delivery.ts'
import { SENDERS } from '../../domain/incident.ts'
import { json, type Operation, ok } from './operation.ts'
import {
  anything,
  count,
  flag,
  list,
  map,
  nullable,
  number,
  object,
  oneOf,
  payload,
  ref,
  said,
  text,
  time,
} from './schema.ts'

export const CHANNEL = oneOf(...CHANNEL_NAMES)
const STATUS = oneOf('firing', 'resolved')
const SOURCE = oneOf('webhook', 'topic', 'agent')
const STATE = oneOf('pending', 'sending', 'sent', 'dead', 'skipped')

const incident = {
  id: said('UUIDv7', text),
  title: text,
  service: text,
  severity: said("The sender's own word, in lower case", text),
  status: STATUS,
  source: SOURCE,
  sender: oneOf(...SENDERS),
  fingerprint: said('The same for a problem and its end', text),
  created_at: time,
  acked_at: nullable(time),
  acked_by: nullable(text),
  resolved_at: nullable(time),
  channels_enabled: list(CHANNEL),
  channels_notified: list(CHANNEL),
  notify_status: oneOf('pending', 'sent', 'partial', 'failed'),
  notify_error: nullable(text),
  oncall_triggered: flag,
  oncall_error: nullable(text),
}

const delivery = {
  channel: CHANNEL,
  state: STATE,
  next_attempt_at: nullable(time),
  target: said('Name of another destination of the channel', nullable(text)),
  may_duplicate: said('An attempt of unknown outcome may have arrived', flag),
  message_id: nullable(text),
  dead_reason: nullable(text),
}

/** What several operations speak of, by name. */
export const INCIDENT_SCHEMAS = {
  Incident: object(incident),
  IncidentDetail: object({
    ...incident,
    content: said('The payload as it was sent', payload),
    topic: nullable(
      object({
        message_id: text,
        topic_arn: text,
        subject: nullable(text),
        published_at: nullable(time),
        attributes: map(object({ type: text, value: text })),
      }),
    ),
    stages: object({
      received_at: time,
      committed_at: time,
      first_attempt_at: nullable(time),
      notified_at: nullable(time),
    }),
    deliveries: list(object({ ...delivery, attempts: list(ref('Attempt')), text: nullable(text) })),
    oncall: nullable(
      object({
        state: text,
        due_at: time,
        provider: nullable(text),
        dedup_key: text,
        paged_at: nullable(time),
        late_ms: nullable(count),
        next_signal: nullable(oneOf('trigger', 'acknowledge', 'resolve')),
        next_attempt_at: nullable(time),
        attempts: list(ref('Attempt')),
      }),
    ),
  }),
  Attempt: said(
    'From committed_at to handed_out_at it waited on disk; then come queued_ms, render_ms and limiter_wait_ms; from started_at the provider was asked for confirmed_ms.',
    object({
      number: { type: 'integer', minimum: 1 },
      started_at: time,
      duration_ms: number,
      outcome: oneOf('sent', 'retry', 'failed'),
      detail: said("The provider's answer or the failure", text),
      message_id: nullable(text),
      may_duplicate: flag,
      render_fault: nullable(text),
      committed_at: time,
      handed_out_at: nullable(time),
      queued_ms: nullable(number),
      render_ms: number,
      limiter_wait_ms: number,
      connected_ms: nullable(number),
      confirmed_ms: number,
    }),
  ),
  Delivery: object({ incident_id: text, title: text, ...delivery, attempts: count }),
}

const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
  cursor: said('`next_cursor` of the page before', text),
}
const NEXT = said('null: this is the last page', nullable(text))
const ID = '/api/admin/incidents/:id'

export const INCIDENTS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/incidents',
    tag: 'incidents',
    summary: 'What was accepted, newest first',
    description: 'A page may hold fewer than `limit` and yet have a next one.',
    query: {
      q: said('Words of it in any order; "in quotes": side by side; the last one need only be begun. Or an id.', {
        ...text,
        maxLength: 200,
      }),
      status: STATUS,
      severity: text,
      service: text,
      channel: CHANNEL,
      source: SOURCE,
      ...PAGE,
    },
    answers: ok(
      object({
        incidents: list(ref('Incident')),
        total: said('Of all pages; when it is not exact there are at least so many', count),
        total_is_exact: flag,
        next_cursor: NEXT,
      }),
      'A page',
    ),
    errors: ['bad_parameter', 'storage_down'],
  },
  {
    method: 'get',
    path: ID,
    tag: 'incidents',
    summary: 'One incident with its deliveries, every attempt and the text that was sent',
    answers: ok(ref('IncidentDetail'), 'The incident'),
  },
  {
    method: 'post',
    path: `${ID}/resend`,
    tag: 'incidents',
    summary: 'Send it to every channel once more',
    answers: ok(object({ ok: { const: true } })),
    errors: ['storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${ID}/ack`,
    tag: 'incidents',
    summary: 'Acknowledge: nobody is paged for it',
    body: json(object({ 'by?': said('Who', text) })),
    answers: ok(object({ ok: { const: true }, already: flag, acked_at: nullable(time), acked_by: nullable(text) })),
    errors: ['bad_parameter', 'storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${ID}/resolve`,
    tag: 'incidents',
    summary: 'Say that the problem is over',
    body: json(object({ 'by?': said('Who', text) })),
    answers: ok(object({ ok: { const: true } })),
    errors: ['bad_parameter', 'storage_down', 'storage_full'],
  },
  {
    method: 'get',
    path: '/api/admin/deliveries',
    tag: 'incidents',
    summary: 'Deliveries, those of the newest incidents first',
    query: { state: STATE, channel: CHANNEL, ...PAGE },
    answers: ok(object({ deliveries: list(ref('Delivery')), next_cursor: NEXT }), 'A page'),
    errors: ['bad_parameter', 'storage_down'],
  },
  {
    method: 'post',
    path: '/api/admin/deliveries/replay',
    tag: 'incidents',
    summary: 'Try dead letters again: all, of a channel, of an incident',
    body: json(object({ state: { const: 'dead' }, 'channel?': CHANNEL, 'id?': said('Of an incident', text) })),
    answers: ok(object({ replayed: count })),
    errors: ['bad_parameter', 'storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: '/api/admin/render',
    tag: 'incidents',
    summary: 'The message that a channel would be sent',
    body: json(
      object({
        channel: CHANNEL,
        'payload?': payload,
        'incident_id?': said('In place of a payload', text),
        'template?': said("In place of the channel's own", text),
      }),
    ),
    answers: ok(object({ text, 'subject?': text, warnings: list(text), 'html?': anything }), 'The message'),
    errors: ['bad_parameter', 'template_invalid', 'template_failed', 'template_deadline', 'template_output'],
  },
]
