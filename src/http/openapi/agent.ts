import { z } from 'zod'
import {
  AgentStatus,
  Cleared,
  FlatCounts,
  FlushedCalls,
  FlushedPatterns,
  PushAnswer,
  SystemPromptAnswer,
} from '../../api/agent/agent.ts'
import { DetectCallDetail, DetectCallList } from '../../api/agent/detect-call.ts'
import { GraceRequest, LogService, LogServiceList } from '../../api/agent/log-service.ts'
import { PatternLabel, PatternPage, PatternRecord } from '../../api/agent/pattern.ts'
import { ShadowEventList } from '../../api/agent/shadow-event.ts'
import { Done } from '../../api/incident.ts'
import { json, type Operation, ok, operationsOf } from './operation.ts'

const agent = operationsOf('agent', '/api/agent/')

export const AGENT: readonly Operation[] = [
  agent('get', 'status', { summary: 'Mode, sources, lag and calls of the model', answers: ok(AgentStatus) }),
  agent('get', 'patterns', {
    summary: 'List patterns, last seen first',
    query: z.object({ limit: z.int().min(1).max(100_000).default(1_000) }),
    answers: ok(PatternPage),
    errors: ['bad_parameter'],
  }),
  agent('delete', 'patterns', { summary: 'Delete all patterns', answers: ok(Cleared) }),
  agent('get', 'patterns/:id', { summary: 'One pattern', answers: ok(PatternRecord) }),
  agent('post', 'patterns/:id', {
    summary: 'Set the verdict or the tags of a pattern',
    body: json(PatternLabel),
    answers: ok(PatternRecord),
    errors: ['bad_parameter', 'agent_off'],
  }),
  agent('delete', 'patterns/:id', { summary: 'Delete a pattern', answers: ok(Done) }),
  agent('get', 'services', { summary: 'Services found in the logs', answers: ok(LogServiceList) }),
  agent('post', 'services/:name/grace', {
    summary: 'End or restart the grace of a service, in which everything new is learned and not reported',
    body: json(GraceRequest),
    answers: ok(LogService),
    errors: ['bad_parameter', 'agent_off'],
  }),
  agent('get', 'shadow', { summary: 'Incidents that shadow mode would have raised', answers: ok(ShadowEventList) }),
  agent('get', 'shadow/stats', {
    summary: 'Counts of the incidents that shadow mode would have raised',
    answers: ok(FlatCounts),
  }),
  agent('delete', 'shadow', {
    summary: 'Delete the incidents that shadow mode would have raised',
    answers: ok(Cleared),
  }),
  agent('get', 'detect', { summary: 'Calls of the model, newest first', answers: ok(DetectCallList) }),
  agent('get', 'detect/stats', { summary: 'Counts of the calls', answers: ok(FlatCounts) }),
  agent('get', 'detect/:id', { summary: 'One call with prompts and raw response', answers: ok(DetectCallDetail) }),
  agent('delete', 'detect', { summary: 'Delete the log of calls', answers: ok(Cleared) }),
  agent('post', 'detect/flush', {
    summary: 'Write the log of calls to disk',
    answers: ok(FlushedCalls),
    errors: ['storage_full', 'storage_down'],
  }),
  agent('post', 'flush', {
    summary: 'Write the state of the agent to disk',
    answers: ok(FlushedPatterns),
    errors: ['agent_off', 'storage_full', 'storage_down'],
  }),
  agent('get', 'ai/system-prompt', { summary: 'The assembled system prompt', answers: ok(SystemPromptAnswer) }),
  agent('post', 'logs/:source', {
    summary: 'Push lines to a source of type http',
    body: {
      'text/plain': z.string().describe('One line per event'),
      'application/x-ndjson': z.string().describe('One object per line'),
      'application/json': z.unknown(),
    },
    answers: { 202: { description: 'The lines wait to be read', content: json(PushAnswer) } },
    errors: ['agent_off', 'agent_lagging', 'unsupported_type', 'body_not_json', 'body_too_large'],
  }),
]
