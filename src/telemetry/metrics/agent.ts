import { STAGE_MS } from '../meters.ts'
import { counter, each, type Family, gauge, one, seconds, values } from './family.ts'

/** The log agent and its language model. */
export const AGENT: readonly Family[] = [
  gauge('tocsin_agent_lag_seconds', 'Seconds that the agent is behind a log source.', ({ agent }) =>
    each(
      'source',
      (agent?.sources ?? []).map(({ name, lag_ms }) => [name, lag_ms / 1_000]),
    ),
  ),
  gauge('tocsin_agent_source_up', '1 while the log source can be read, else 0.', ({ agent }) =>
    each(
      'source',
      (agent?.sources ?? []).map(({ name, state }) => [name, state === 'failing' ? 0 : 1]),
    ),
  ),
  counter('tocsin_agent_lines_total', 'Log lines that were mined.', ({ agent }) => one(agent?.lines)),
  counter('tocsin_agent_faults_total', 'Log lines that could not be learned.', ({ agent }) => one(agent?.faults)),
  gauge('tocsin_agent_patterns', 'Patterns in the catalog.', ({ agent }) => one(agent?.patterns)),
  gauge('tocsin_agent_findings_waiting', 'Findings that are not incidents yet.', (snapshot) =>
    one(snapshot.agent?.waiting_findings),
  ),
  counter('tocsin_agent_llm_calls_total', 'Calls of the language model.', ({ meters }) =>
    values('outcome', { answered: meters.agent.answered, failed: meters.agent.failed }),
  ),
  seconds('tocsin_agent_llm_seconds', 'Seconds of one call of the language model.', STAGE_MS, ({ meters }) => [
    { of: meters.agent.callMs },
  ]),
  gauge('tocsin_agent_llm_calls_last_hour', 'Calls of the language model in the last hour.', ({ agent }) =>
    one(agent?.ai.calls_last_hour),
  ),
  gauge('tocsin_agent_llm_quota', 'Calls of the language model that are allowed in an hour.', ({ agent }) =>
    one(agent?.ai.max_calls_per_hour),
  ),
]
