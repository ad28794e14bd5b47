import type { DetectCall, DetectCallDetail } from '../../src/api/agent/detect-call.ts'
import type { LogService } from '../../src/api/agent/log-service.ts'
import type { PatternRecord } from '../../src/api/agent/pattern.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Pattern, Service } from '../../src/mining/contract.ts'
import { isoTime, isoTimeOrNull } from '../../src/text/iso-time.ts'
import type { AgentQueries, AgentQuery } from '../messages/agent-queries.ts'
import type { Answers } from '../messages/query.ts'
import type { AgentActor } from './agent.ts'
import type { AgentParts } from './build.ts'

/** Answers the questions to the agent. Throws not_found for what the catalog does not hold. */
export function agentAnswers(parts: AgentParts): Answers<AgentQueries> {
  const { detector, shadow, detect, actor, clock } = parts
  const patternRecord = patternRecordWith(actor.recent)
  /** Marks the catalog as changed by an operator, so that it is written with the next save. */
  const changed = <T>(answer: T): T => {
    actor.markDirty()
    return answer
  }
  return {
    status: () => statusOf(parts),
    patterns: ({ limit }) => ({
      patterns: detector.patterns().slice(0, limit).map(patternRecord),
      total: detector.counts().patterns,
    }),
    around: ({ service, from, to }) => {
      const isNear = ({ firstSeenMs, lastSeenMs, verdict }: Pattern) =>
        (firstSeenMs >= from && firstSeenMs <= to) || (verdict === 'unknown' && lastSeenMs >= from && firstSeenMs <= to)
      const patterns = detector.patterns().filter((pattern) => pattern.service === service && isNear(pattern))
      return patterns.slice(0, MAX_AROUND).map(patternRecord)
    },
    pattern: ({ id }) => patternRecord(found(detector.pattern(id))),
    label: ({ id, label }) => changed(patternRecord(found(detector.label(id, label)))),
    forget: ({ id }) => changed({ ok: found(detector.forget(id) || undefined) }),
    'clear-patterns': () => changed({ ok: true, cleared: detector.clear() }),
    services: () => ({ services: detector.services().map(serviceRecordAt(clock.now())) }),
    grace: ({ name, action }) => {
      const now = clock.now()
      return changed(serviceRecordAt(now)(found(detector.grace(name, action, now))))
    },
    shadow: () => ({ events: shadow.events() }),
    'shadow-stats': () => shadow.stats(),
    'clear-shadow': () => changed({ ok: true, cleared: shadow.clear() }),
    detect: () => ({ events: detect.events().map(summary) }),
    'detect-stats': () => detect.stats(),
    'detect-event': ({ id }) => found(detect.event(id)),
    'clear-detect': () => ({ ok: true, cleared: detect.clear() }),
    'flush-detect': () => ({ ok: true, events: detect.flush() }),
    flush() {
      actor.persist()
      return { ok: true, patterns: detector.counts().patterns }
    },
    push: (query) => push(parts, query),
  }
}

/** Patterns in the brief of a problem. */
const MAX_AROUND = 5

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new CodedError('not_found')
  return value
}

type PushQuery = Omit<AgentQuery<'push'>, 'kind'>

/** Rejects with not_found, and with agent_lagging while too many pushed bytes wait to be read. */
async function push({ pushed, actor }: AgentParts, { source: name, body, contentType }: PushQuery) {
  const source = pushed.get(name)
  if (!source) throw new CodedError('not_found', 'no enabled source of type http or otlp has this name')
  const { accepted, rejected } = await source.push(body, contentType)
  actor.poller()?.poll(name)
  return { accepted, ...(rejected > 0 && { rejected }) }
}

/** A call without prompts and response, which may be large. */
function summary({ prompts: _prompts, raw_response: _raw, ...event }: DetectCallDetail): DetectCall {
  return event
}

function patternRecordWith(recent: AgentActor['recent']) {
  return (pattern: Pattern): PatternRecord => ({
    id: pattern.id,
    template: pattern.template,
    first_seen: isoTime(pattern.firstSeenMs),
    last_seen: isoTime(pattern.lastSeenMs),
    count: pattern.count,
    baseline_frequency: pattern.baselineFrequency,
    verdict: pattern.verdict,
    known_by: pattern.knownBy,
    rule_name: pattern.rule,
    source: pattern.source,
    service: pattern.service,
    tags: pattern.tags,
    recent: recent.of(pattern.id),
  })
}

function serviceRecordAt(now: number) {
  return ({ name, firstSeenMs, graceEndsMs }: Service): LogService => ({
    name,
    first_seen: isoTime(firstSeenMs),
    grace_ends: isoTime(graceEndsMs),
    in_grace: graceEndsMs > now,
  })
}

function statusOf({
  mode,
  actor,
  detector,
  detect,
  analyst,
  ai,
  pipeline,
  incidentOutbox,
}: AgentParts): ReturnType<AgentQueries['status']> {
  const sources = actor.poller()?.status() ?? []
  const { lastAt, count } = actor.ticks
  return {
    enabled: true,
    mode,
    lag: Math.max(0, ...sources.map(({ lag_ms }) => lag_ms)),
    lines_per_s: pipeline.linesPerSecond(),
    events: pipeline.events,
    learned: pipeline.learned,
    faults: pipeline.failures,
    ...detector.counts(),
    services: detector.services().length,
    ticks: count,
    last_tick_at: isoTimeOrNull(lastAt),
    waiting_findings: incidentOutbox.pending().length,
    sources,
    ai: {
      enabled: ai.enable,
      model: ai.model,
      max_calls_per_hour: ai.maxCallsPerHour,
      calls_last_hour: detect.callsLastHour(),
      ...analyst.status(),
    },
  }
}
