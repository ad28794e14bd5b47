import type { Payload } from '../../domain/incident.ts'
import type { Sample } from './sample.ts'

const FINDING: Payload = {
  Source: 'AI Agent',
  AgentSource: 'prod-loki',
  AlertName: 'Connections to the session cache are refused',
  Summary: 'Since 14:20 a third of the logins fail because the session cache refuses connections.',
  Severity: 'high',
  Category: 'connectivity',
  Confidence: 0.91,
  Suggestions: ['Check whether session-cache-2 is up', 'Compare maxclients with the number of login pods'],
  PatternID: 'p-7f31c2',
  PatternTemplate: 'dial tcp <*>: connect: connection refused (attempt <*>)',
  Frequency: 264,
  Baseline: 3.5,
  Verdict: 'spike',
  ServiceName: 'login',
  Logs: 'dial tcp 10.4.0.17:6379: connect: connection refused (attempt 3)\nlogin failed for session 8812',
  Status: 'firing',
}

export const AGENT: readonly Sample[] = [
  { name: 'AI agent: a pattern spikes', sender: 'agent', payload: FINDING },
  {
    name: 'AI agent: the bare minimum',
    sender: 'agent',
    payload: {
      Source: 'AI Agent',
      AlertName: 'New pattern in billing',
      ServiceName: 'billing',
      Severity: 'medium',
      Verdict: 'unknown',
    },
  },
]
