import { json, type Operation, ok } from './operation.ts'
import { anything, count, flag, list, map, nullable, number, object, oneOf, ref, said, text, time } from './schema.ts'

const VERDICT = oneOf('known', 'unknown', 'ignored')
const CLEARED = object({ ok: { const: true }, cleared: count })
const COUNTS = said('Flat counts, such as `events`', map(number))

const call = {
  id: text,
  at: time,
  pattern_id: text,
  verdict: text,
  source: text,
  service: text,
  template: text,
  outcome: said('`ok`, or what went wrong', text),
  error: text,
  finding: nullable(
    object({
      title: text,
      summary: text,
      severity: text,
      category: text,
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      suggestions: list(text),
    }),
  ),
  model: text,
  duration_ms: number,
}

export const AGENT_SCHEMAS = {
  Pattern: object({
    id: text,
    template: said('Text with `<*>` for what varies', text),
    first_seen: time,
    last_seen: time,
    count,
    baseline_frequency: number,
    verdict: VERDICT,
    known_by: oneOf('training', 'grace', 'count', 'operator', ''),
    rule_name: text,
    source: text,
    service: text,
    tags: list(text),
    recent: said('Lines in each of the last ticks, the newest last', list(count)),
  }),
  Service: object({ name: text, first_seen: time, grace_ends: time, in_grace: flag }),
  ShadowEvent: {
    ...object({
      pattern_id: text,
      template: text,
      source: text,
      service: text,
      rule_name: text,
      verdict: text,
      sample_message: text,
      count,
      occurrences: count,
      first_seen: time,
      last_seen: time,
    }),
    additionalProperties: true,
  },
  DetectCall: object(call),
  DetectCallDetail: object({
    ...call,
    prompts: { anyOf: [object({ system: text, user: text }), text] },
    raw_response: text,
  }),
  AgentStatus: object({
    enabled: flag,
    mode: nullable(oneOf('training', 'shadow', 'detect')),
    lag: said('Milliseconds, of the source that is furthest behind', number),
    lines_per_s: number,
    patterns: count,
    sources: list(
      object({
        name: text,
        type: text,
        state: text,
        error: text,
        events: count,
        read_to_end_at: nullable(time),
        lag_ms: number,
      }),
    ),
    'events?': count,
    'learned?': count,
    'faults?': count,
    'lines?': count,
    'merged?': count,
    'evicted?': count,
    'withheld?': said('New patterns that a flood of others kept from being raised', count),
    'services?': count,
    'ticks?': count,
    'last_tick_at?': nullable(time),
    'waiting_findings?': count,
    'ai?': object({
      enabled: flag,
      model: text,
      max_calls_per_hour: count,
      calls_last_hour: count,
      cached: count,
      paused: flag,
    }),
  }),
}

const agent = (
  method: Operation['method'],
  path: string,
  { summary, ...rest }: Omit<Operation, 'method' | 'path' | 'tag'>,
): Operation => ({ method, path: `/api/agent/${path}`, tag: 'agent', summary, ...rest })

const PATTERNS: readonly Operation[] = [
  agent('get', 'status', { summary: 'Mode, sources, lag and quota', answers: ok(ref('AgentStatus')) }),
  agent('get', 'patterns', {
    summary: 'Patterns, seen last first',
    query: { limit: { type: 'integer', minimum: 1, maximum: 100_000, default: 1_000 } },
    answers: ok(object({ patterns: list(ref('Pattern')), total: count })),
    errors: ['bad_parameter'],
  }),
  agent('delete', 'patterns', { summary: 'Forget all patterns', answers: ok(CLEARED) }),
  agent('get', 'patterns/:id', { summary: 'One pattern', answers: ok(ref('Pattern')) }),
  agent('post', 'patterns/:id', {
    summary: 'Say what is to be thought of it',
    body: json(object({ 'verdict?': VERDICT, 'tags?': list({ ...text, maxLength: 100 }) })),
    answers: ok(ref('Pattern')),
    errors: ['bad_parameter', 'agent_off'],
  }),
  agent('delete', 'patterns/:id', { summary: 'Forget it', answers: ok(object({ ok: { const: true } })) }),
  agent('get', 'services', {
    summary: 'Services in the logs',
    answers: ok(object({ services: list(ref('Service')) })),
  }),
  agent('post', 'services/:name/grace', {
    summary: 'End or restart the time in which a service is learned and not reported',
    body: json(object({ action: oneOf('end', 'restart') })),
    answers: ok(ref('Service')),
    errors: ['bad_parameter', 'agent_off'],
  }),
]

const LOGS: readonly Operation[] = [
  agent('get', 'shadow', {
    summary: 'What would have been raised',
    answers: ok(object({ events: list(ref('ShadowEvent')) })),
  }),
  agent('get', 'shadow/stats', { summary: 'Counts of it', answers: ok(COUNTS) }),
  agent('delete', 'shadow', { summary: 'Clear it', answers: ok(CLEARED) }),
  agent('get', 'detect', {
    summary: 'Calls of the model, newest first',
    answers: ok(object({ events: list(ref('DetectCall')) })),
  }),
  agent('get', 'detect/stats', { summary: 'Counts of them', answers: ok(COUNTS) }),
  agent('get', 'detect/:id', {
    summary: 'One call: prompts, raw response, finding',
    answers: ok(ref('DetectCallDetail')),
  }),
  agent('delete', 'detect', { summary: 'Clear the log of calls', answers: ok(CLEARED) }),
  agent('post', 'detect/flush', {
    summary: 'Write the log of calls to disk',
    answers: ok(object({ ok: { const: true }, events: count })),
    errors: ['storage_full', 'storage_down'],
  }),
  agent('post', 'flush', {
    summary: 'Write everything the agent knows to disk',
    answers: ok(object({ ok: { const: true }, patterns: count })),
    errors: ['agent_off', 'storage_full', 'storage_down'],
  }),
  agent('get', 'ai/system-prompt', {
    summary: 'The system prompt as it is assembled',
    answers: ok(object({ system_prompt: text })),
  }),
  agent('post', 'logs/:source', {
    summary: 'Push lines to a source of type http',
    body: {
      'text/plain': said('One a line', text),
      'application/x-ndjson': said('One object a line', text),
      'application/json': anything,
    },
    answers: { 202: { description: 'They wait to be read', content: json(object({ accepted: count })) } },
    errors: ['agent_off', 'agent_lagging', 'unsupported_type', 'body_not_json', 'body_too_large'],
  }),
]

export const AGENT: readonly Operation[] = [...PATTERNS, ...LOGS]
