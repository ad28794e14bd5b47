import type { Analyst } from '../../src/analysis/analyst.ts'
import type { DetectEvent, DetectLog } from '../../src/analysis/detect-log.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { AnomalyDetector, Mode, Pattern, Service } from '../../src/mining/contract.ts'
import type { ShadowLog } from '../../src/mining/detect/shadow-log.ts'
import type { LinePipeline } from '../../src/mining/input/line-pipeline.ts'
import type { PushSource } from '../../src/mining/sources/push.ts'
import type { AgentQuery } from '../messages/agent-queries.ts'
import type { AgentActor, IncidentOutbox } from './agent.ts'

/** What the questions to the agent are answered from; one life of the actor. */
export interface AgentParts {
  readonly mode: Mode
  readonly actor: AgentActor
  readonly detector: AnomalyDetector
  readonly shadow: ShadowLog
  readonly detect: DetectLog
  readonly analyst: Analyst
  readonly ai: { readonly enable: boolean; readonly model: string; readonly maxCallsPerHour: number }
  /** Those that are pushed to, by name. */
  readonly pushed: ReadonlyMap<string, PushSource>
  readonly pipeline: LinePipeline
  readonly incidentOutbox: Pick<IncidentOutbox, 'pending'>
  readonly clock: Clock
}

/** Answers, or throws a CodedError. */
export function answerAgent(query: AgentQuery, parts: AgentParts): unknown {
  const { detector, shadow, detect, actor } = parts
  switch (query.kind) {
    case 'status':
      return statusOf(parts)
    case 'patterns':
      return {
        patterns: detector.patterns().slice(0, query.limit).map(patternJson(actor.recent)),
        total: detector.counts().patterns,
      }
    case 'pattern':
      return patternJson(actor.recent)(found(detector.pattern(query.id)))
    case 'label':
      return markChanged(actor, patternJson(actor.recent)(found(detector.label(query.id, query.label))))
    case 'forget':
      return markChanged(actor, { ok: found(detector.forget(query.id) || undefined) })
    case 'clear-patterns':
      return markChanged(actor, { ok: true, cleared: detector.clear() })
    case 'services':
      return { services: detector.services().map(serviceJson(parts.clock.now())) }
    case 'grace':
      return markChanged(actor, graceOf(parts, query))
    case 'shadow':
      return { events: shadow.events() }
    case 'shadow-stats':
      return shadow.stats()
    case 'clear-shadow':
      return markChanged(actor, { ok: true, cleared: shadow.clear() })
    case 'detect':
      return { events: detect.events().map(summary) }
    case 'detect-stats':
      return detect.stats()
    case 'detect-event':
      return found(detect.event(query.id))
    case 'clear-detect':
      return { ok: true, cleared: detect.clear() }
    case 'flush-detect':
      return { ok: true, events: detect.flush() }
    case 'flush':
      actor.persist()
      return { ok: true, patterns: detector.counts().patterns }
    case 'push':
      return push(parts, query)
    default:
      return query satisfies never
  }
}

function markChanged<T>(actor: AgentActor, answer: T): T {
  actor.markDirty()
  return answer
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new CodedError('not_found')
  return value
}

function graceOf({ detector, clock }: AgentParts, { name, action }: Extract<AgentQuery, { kind: 'grace' }>): unknown {
  const now = clock.now()
  return serviceJson(now)(found(detector.grace(name, action, now)))
}

async function push({ pushed, actor }: AgentParts, query: Extract<AgentQuery, { kind: 'push' }>): Promise<unknown> {
  const source = pushed.get(query.source)
  if (!source) throw new CodedError('not_found', 'no enabled source of type http has this name')
  const accepted = await source.push(query.body, query.contentType)
  actor.poller()?.poll(query.source)
  return { accepted }
}

/** The call without what was said in it. */
function summary({ prompts: _prompts, raw_response: _raw, ...event }: DetectEvent) {
  return event
}

function patternJson(recent: AgentActor['recent']) {
  return (pattern: Pattern) => ({
    id: pattern.id,
    template: pattern.template,
    first_seen: iso(pattern.firstSeenMs),
    last_seen: iso(pattern.lastSeenMs),
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

function serviceJson(now: number) {
  return ({ name, firstSeenMs, graceEndsMs }: Service) => ({
    name,
    first_seen: iso(firstSeenMs),
    grace_ends: iso(graceEndsMs),
    in_grace: graceEndsMs > now,
  })
}

const iso = (ms: number) => new Date(ms).toISOString()

function statusOf({ mode, actor, detector, detect, analyst, ai, pipeline, incidentOutbox }: AgentParts) {
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
    last_tick_at: lastAt === undefined ? null : iso(lastAt),
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
