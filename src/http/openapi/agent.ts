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
import { DISK, json, type Operation, ok, operationsOf } from './operation.ts'

const agent = operationsOf('agent', '/api/agent/')

export const AGENT: readonly Operation[] = [
  agent('get status', 'Mode, sources, lag and calls of the model', { answers: ok(AgentStatus) }),
  agent('get patterns', 'List patterns, last seen first', {
    query: z.object({ limit: z.int().min(1).max(100_000).default(1_000) }),
    answers: ok(PatternPage),
  }),
  agent('delete patterns', 'Delete all patterns', { answers: ok(Cleared) }),
  agent('get patterns/:id', 'One pattern', { answers: ok(PatternRecord) }),
  agent('post patterns/:id', 'Set the verdict or the tags of a pattern', {
    body: json(PatternLabel),
    answers: ok(PatternRecord),
    errors: ['agent_off'],
  }),
  agent('delete patterns/:id', 'Delete a pattern', { answers: ok(Done) }),
  agent('get services', 'Services found in the logs', { answers: ok(LogServiceList) }),
  agent(
    'post services/:name/grace',
    'End or restart the grace of a service, in which everything new is learned and not reported',
    { body: json(GraceRequest), answers: ok(LogService), errors: ['agent_off'] },
  ),
  agent('get shadow', 'Incidents that shadow mode would have raised', { answers: ok(ShadowEventList) }),
  agent('get shadow/stats', 'Counts of the incidents that shadow mode would have raised', { answers: ok(FlatCounts) }),
  agent('delete shadow', 'Delete the incidents that shadow mode would have raised', { answers: ok(Cleared) }),
  agent('get detect', 'Calls of the model, newest first', { answers: ok(DetectCallList) }),
  agent('get detect/stats', 'Counts of the calls', { answers: ok(FlatCounts) }),
  agent('get detect/:id', 'One call with prompts and raw response', { answers: ok(DetectCallDetail) }),
  agent('delete detect', 'Delete the log of calls', { answers: ok(Cleared) }),
  agent('post detect/flush', 'Write the log of calls to disk', { answers: ok(FlushedCalls), errors: DISK }),
  agent('post flush', 'Write the state of the agent to disk', {
    answers: ok(FlushedPatterns),
    errors: ['agent_off', ...DISK],
  }),
  agent('get ai/system-prompt', 'The assembled system prompt', { answers: ok(SystemPromptAnswer) }),
  agent('post logs/:source', 'Push lines to a source of type http', {
    body: {
      'text/plain': z.string().describe('One line per event'),
      'application/x-ndjson': z.string().describe('One object per line'),
      'application/json': z.unknown(),
    },
    answers: { 202: { description: 'The lines wait to be read', content: json(PushAnswer) } },
    errors: ['agent_off', 'agent_lagging', 'unsupported_type', 'body_not_json', 'body_too_large'],
  }),
]
