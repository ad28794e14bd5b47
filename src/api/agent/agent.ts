import { z } from 'zod'
import { count, nonNegative, ok, type Shape, time } from '../fields.ts'

export const LogSourceStatus = z.object({
  name: z.string(),
  type: z.string(),
  state: z.string().describe('`ok`, `reading` or `failing`'),
  error: z.string().describe('Message of the last failure; "" while the source works'),
  events: count.describe('Events read since the start'),
  read_to_end_at: time.nullable().describe('Last complete read'),
  lag_ms: nonNegative.describe('Time since the last complete read while reading or failing; else 0'),
})
export type LogSourceStatus = Shape<typeof LogSourceStatus>

const ModelStatus = z.object({
  enabled: z.boolean(),
  model: z.string(),
  max_calls_per_hour: count,
  calls_last_hour: count,
  cached: count.describe('Findings in the cache'),
  paused: z.boolean().describe('No calls for a while after failures'),
})

export const AgentStatus = z
  .object({
    enabled: z.boolean(),
    mode: z.enum(['training', 'shadow', 'detect']).nullable().describe('null while it is off'),
    lag: nonNegative.describe('Milliseconds, of the source that is furthest behind'),
    lines_per_s: nonNegative,
    patterns: count,
    sources: z.array(LogSourceStatus),
    events: count.exactOptional().describe('Events read since the start'),
    learned: count.exactOptional().describe('Of these, learned as lines of a pattern'),
    faults: count.exactOptional().describe('Of these, not learned because of a bug'),
    lines: count.exactOptional().describe('Lines that were learned'),
    merged: count.exactOptional().describe('Patterns merged into others'),
    evicted: count.exactOptional().describe('Patterns removed to make room'),
    withheld: count.exactOptional().describe('New patterns that were not raised because of a flood of others'),
    services: count.exactOptional(),
    ticks: count.exactOptional().describe('Since the agent was started'),
    last_tick_at: time.nullable().exactOptional(),
    waiting_findings: count.exactOptional().describe('Findings on their way to storage'),
    ai: ModelStatus.exactOptional(),
  })
  .describe('State of the log agent; the optional fields are absent while it is off')
export type AgentStatus = Shape<typeof AgentStatus>

export const FlatCounts = z.record(z.string(), nonNegative).describe('flat counts, such as `events`')
export type FlatCounts = Shape<typeof FlatCounts>

export const Cleared = z.object({ ok, cleared: count })
export type Cleared = Shape<typeof Cleared>

export const FlushedPatterns = z.object({ ok, patterns: count })
export type FlushedPatterns = Shape<typeof FlushedPatterns>

export const FlushedCalls = z.object({ ok, events: count })
export type FlushedCalls = Shape<typeof FlushedCalls>

export const SystemPromptAnswer = z.object({ system_prompt: z.string() })
export type SystemPromptAnswer = Shape<typeof SystemPromptAnswer>

export const PushAnswer = z.object({
  accepted: count.describe('Lines that wait to be read'),
  rejected: count.exactOptional().describe('Records without text'),
})
export type PushAnswer = Shape<typeof PushAnswer>
