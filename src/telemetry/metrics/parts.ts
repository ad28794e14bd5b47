import { CONFIRMED_MS, STAGE_MS } from '../meters.ts'
import { counter, each, type Family, gauge, one, seconds } from './family.ts'

/** What is stored, who is paged, what the agent, the topic and the tail do. */
export const PARTS: readonly Family[] = [
  gauge('tocsin_build_info', 'The version that runs.', ({ version }) => [{ labels: { version }, value: 1 }]),
  gauge('tocsin_incidents_stored', 'Incidents on disk.', ({ storage }) => one(storage?.incidents)),
  gauge(
    'tocsin_incidents_unfiled',
    'Incidents on disk that no list shows yet and nothing was sent of.',
    ({ storage }) => one(storage?.unappliedIncidents),
  ),
  gauge(
    'tocsin_incidents_quarantined',
    'Incidents on disk that cannot be filed: nothing was sent of them, and the next start tries again.',
    ({ storage }) => one(storage?.quarantinedIncidents),
  ),
  gauge('tocsin_incidents_unindexed', 'Incidents that a search has to read, not being in the index yet.', (snapshot) =>
    one(snapshot.storage?.unindexed),
  ),
  gauge('tocsin_incidents_unacknowledged', 'Fingerprints that fire and of which nobody has said a word.', (snapshot) =>
    one(snapshot.storage?.unacknowledgedFiring),
  ),
  gauge('tocsin_database_bytes', 'Size of the database file.', ({ storage }) => one(storage?.databaseBytes)),
  gauge('tocsin_database_wal_bytes', 'Size of the write-ahead log.', ({ storage }) => one(storage?.walBytes)),
  gauge('tocsin_oncall_armed', 'Timers that have not run out.', ({ storage }) => one(storage?.oncall.armed)),
  gauge('tocsin_oncall_overdue', 'Incidents of which somebody should have been paged by now.', ({ storage }) =>
    one(storage?.oncall.overdue),
  ),
  counter('tocsin_oncall_attempts_total', 'Attempts to tell the on-call provider something.', ({ meters }) =>
    Object.entries(meters.oncall.attempts).flatMap(([signal, outcomes]) =>
      Object.entries(outcomes).map(([outcome, { value }]) => ({ labels: { signal, outcome }, value })),
    ),
  ),
  counter('tocsin_oncall_pages_total', 'Pages that the provider has, and those that were given up.', ({ meters }) =>
    each('outcome', [
      ['sent', meters.oncall.paged.value],
      ['failed', meters.oncall.failed.value],
    ]),
  ),
  seconds(
    'tocsin_oncall_late_seconds',
    'From when a page was due to the word of the provider.',
    CONFIRMED_MS,
    (snapshot) => [{ of: snapshot.meters.oncall.lateMs }],
  ),
  gauge('tocsin_agent_lag_seconds', 'How far the agent is behind a log source.', ({ agent }) =>
    each(
      'source',
      (agent?.sources ?? []).map(({ name, lag_ms }) => [name, lag_ms / 1_000]),
    ),
  ),
  gauge('tocsin_agent_source_up', '1 while a log source can be read.', ({ agent }) =>
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
  counter('tocsin_agent_llm_calls_total', 'Calls of the model.', ({ meters }) =>
    each('outcome', [
      ['answered', meters.agent.answered.value],
      ['failed', meters.agent.failed.value],
    ]),
  ),
  seconds('tocsin_agent_llm_seconds', 'One call of the model.', STAGE_MS, ({ meters }) => [
    { of: meters.agent.callMs },
  ]),
  gauge('tocsin_agent_llm_calls_last_hour', 'Calls that count against the quota.', ({ agent }) =>
    one(agent?.ai.calls_last_hour),
  ),
  gauge('tocsin_agent_llm_quota', 'Calls that an hour may have.', ({ agent }) => one(agent?.ai.max_calls_per_hour)),
  gauge('tocsin_topic_subscribed', '1 while the topic is subscribed; absent without a topic.', ({ topic }) =>
    one(topic.subscription ? Number(topic.subscription.state === 'subscribed') : undefined),
  ),
  counter('tocsin_topic_messages_total', 'Messages of the topic that were taken.', ({ topic }) =>
    one(topic.messages.taken),
  ),
  counter('tocsin_topic_refused_total', 'Messages of the topic that were refused, by reason.', ({ topic }) =>
    each('code', Object.entries(topic.messages.refused)),
  ),
  gauge('tocsin_tail_clients', 'Clients that watch the live tail.', ({ tailClients }) => one(tailClients)),
]
