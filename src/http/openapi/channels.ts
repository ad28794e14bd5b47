import { CHANNEL } from './incidents.ts'
import { json, type Operation, ok } from './operation.ts'
import { count, flag, list, nullable, number, object, oneOf, ref, said, text, time } from './schema.ts'

export const CHANNEL_SCHEMAS = {
  Channel: object({
    name: CHANNEL,
    enabled: flag,
    paused: flag,
    paused_at: nullable(time),
    mailbox: object({ depth: count, capacity: count }),
    sending: said('On the wire', count),
    concurrency: count,
    rate: object({ per_second: number, burst: number }),
    circuit: list(object({ destination: text, state: oneOf('closed', 'open', 'half_open'), retry_at: nullable(time) })),
    limiter: list(object({ destination: text, waiting: count, waits_total: count, waited_ms_total: number })),
    backlog: object({
      pending: count,
      sending: count,
      oldest_pending_at: nullable(time),
      oldest_pending_age_ms: nullable(number),
    }),
    counters: object({ sent: count, retried: count, dead: count, rendered_plain: count }),
    last_sent_at: nullable(time),
    last_error: nullable(object({ at: time, detail: text, incident_id: text })),
    dead: said('Dead letters that a replay would try again', count),
    dead_notice: said(
      'The last notice about its dead letters, which another channel carried',
      nullable(
        object({
          state: text,
          via: nullable(CHANNEL),
          attempts: count,
          first_at: nullable(time),
          ended_at: nullable(time),
        }),
      ),
    ),
    targets: said('Names of its other destinations', list(text)),
    limits: said('What a message may be long', object({ max: count, unit: text })),
  }),
}

const AT = '/api/admin/channels/:name'

export const CHANNELS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/channels',
    tag: 'channels',
    summary: 'All channels with their health',
    answers: ok(object({ channels: list(ref('Channel')) }), 'The enabled ones and the others'),
  },
  {
    method: 'post',
    path: `${AT}/pause`,
    tag: 'channels',
    summary: 'Send nothing on it until it is resumed; nothing is lost',
    answers: ok(object({ ok: { const: true }, name: CHANNEL, paused: { const: true } })),
    errors: ['storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${AT}/resume`,
    tag: 'channels',
    summary: 'Send on it again',
    answers: ok(object({ ok: { const: true }, name: CHANNEL, paused: { const: false } })),
    errors: ['storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${AT}/test`,
    tag: 'channels',
    summary: 'Send a test message',
    body: json(object({ 'target?': said('Name of another destination', text) })),
    answers: ok(
      object({
        ok: said('Whether the provider took it', flag),
        name: CHANNEL,
        detail: text,
        text,
        message_id: nullable(text),
        render_fault: nullable(text),
        render_ms: number,
        limiter_wait_ms: number,
        duration_ms: number,
      }),
      'What came of it',
    ),
    errors: ['bad_parameter'],
  },
]
