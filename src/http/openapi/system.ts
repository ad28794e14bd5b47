import { EVENT_KINDS } from '../../domain/event.ts'
import { CHANNEL } from './incidents.ts'
import { type Operation, ok } from './operation.ts'
import {
  anything,
  count,
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

const unknown = (schema: typeof number) => said('null: it cannot be said now', nullable(schema))
const percentiles = (...names: readonly string[]) =>
  object(Object.fromEntries(names.map((name) => [name, nullable(number)])))

export const SYSTEM_SCHEMAS = {
  Stats: said(
    'Rates are over the last 5 s, percentiles over the last minute (null while nothing happened), totals since the start.',
    object({
      at: time,
      uptime_ms: number,
      version: text,
      started_at: time,
      ingest: object({
        accepted_total: count,
        refused_total: said('By code', map(count)),
        accepted_per_s: number,
        commit_ms: percentiles('p50', 'p99'),
        batch_size: percentiles('p50', 'p99'),
        inflight: count,
      }),
      deliveries: said(
        'By enabled channel',
        map(
          object({
            sent_total: count,
            retried_total: count,
            dead_total: count,
            sent_per_s: number,
            latency_ms: percentiles('p50', 'p95', 'p99'),
            backlog: unknown(count),
            oldest_pending_age_ms: nullable(number),
          }),
        ),
      ),
      oncall: object({ armed: unknown(count), overdue: unknown(count), paged_total: map(count) }),
      attention: object({
        dead: unknown(count),
        open_circuits: unknown(count),
        unacknowledged_firing: unknown(count),
      }),
      actors: map(
        object({ thread: text, depth: count, capacity: count, refused: count, state: text, restarts: count }),
      ),
      threads: map(
        object({
          state: text,
          restarts: count,
          utilization: nullable({ ...number, maximum: 1 }),
          lag_ms: nullable(percentiles('p50', 'p99')),
        }),
      ),
      storage: nullable(
        object({
          incidents: count,
          unfiled: said('Of these, on disk and in no list yet', count),
          quarantined: said(
            'Of these, set aside because they cannot be filed; tried again after the next start',
            count,
          ),
          finished: count,
          unfinished_deliveries: count,
          unindexed: said('Incidents that a search has to read one by one', count),
          database_bytes: count,
          wal_bytes: count,
        }),
      ),
      memory: object({ rss_bytes: count }),
      agent: nullable(object({ mode: text, lag: number, lines_per_s: number, patterns: count })),
    }),
  ),
}

export const SYSTEM: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/stats',
    tag: 'system',
    summary: 'Rates, percentiles, backlogs, threads and mailboxes',
    answers: ok(ref('Stats'), 'One look'),
  },
  {
    method: 'get',
    path: '/api/admin/config',
    tag: 'system',
    summary: 'The configuration in force',
    answers: ok(
      object({
        config: said('Nested as in the file; secrets are "set" or ""', { type: 'object' }),
        origins: said('Dotted path to `file`, `default` or `env NAME`', map(text)),
        warnings: list(text),
      }),
      'Without its secrets',
    ),
  },
  {
    method: 'get',
    path: '/api/admin/templates',
    tag: 'system',
    summary: "The templates in use, and a payload of every sender's shape",
    answers: ok(
      object({
        templates: list(object({ channel: CHANNEL, file: text, text, enabled: { type: 'boolean' } })),
        samples: list(object({ sender: text, name: text, payload })),
      }),
      'Both',
    ),
  },
  {
    method: 'get',
    path: '/api/admin/topic',
    tag: 'system',
    summary: 'How the subscription stands and what became of the messages of the topic',
    answers: ok(
      object({
        enabled: { type: 'boolean' },
        topic_arn: text,
        subscription: nullable(
          object({
            state: oneOf('idle', 'asking', 'pending', 'subscribed', 'stopped'),
            failures: count,
            last_error: nullable(text),
          }),
        ),
        messages: object({ taken: count, refused: map(count) }),
      }),
      'As it is',
    ),
  },
  {
    method: 'post',
    path: '/api/admin/tail/ticket',
    tag: 'system',
    summary: 'A ticket for the live tail: good once, for a short time',
    answers: ok(object({ ticket: text, expires_in_ms: count }), 'The ticket'),
  },
  {
    method: 'get',
    path: '/api/admin/tail',
    tag: 'system',
    summary: 'The live tail, a WebSocket',
    description:
      'Every message of the server is one JSON object: `hello` first, then events with an `id` that `after` resumes from, `missed` when the ' +
      'client fell behind. The client may send `{"kind":"filter",...}` at any time. The ticket takes the place of the secret.',
    query: {
      'ticket!': text,
      kinds: said(`Some of ${EVENT_KINDS.join(', ')}, with commas`, text),
      channel: CHANNEL,
      severity: text,
      q: said('Text that an event holds', text),
      after: said('Id of the last event that was seen', text),
      newest: said('Without `after`: how many of the latest kept events to send first, 1 to 1,000', count),
    },
    answers: {
      101: { description: 'Switching protocols' },
      426: { description: 'Not asked for as a WebSocket', content: { 'application/json': anything } },
    },
    errors: ['bad_parameter', 'tail_full', 'shutting_down'],
  },
]
