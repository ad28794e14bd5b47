import type { Analyst, Explanation } from '../../src/analysis/analyst.ts'
import type { Observation } from '../../src/analysis/contract.ts'
import { incidentOf } from '../../src/analysis/incident.ts'
import { fullJitterMs } from '../../src/domain/delivery/backoff.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Finding } from '../../src/mining/contract.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { Raise, Raised } from '../messages/agent.ts'

interface IncidentOutboxDeps {
  readonly analyst: Pick<Analyst, 'explain'>
  readonly ingest: Ref<Raise>
  readonly clock: Clock
  readonly tickMs: number
  readonly publisher: EventPublisher
  readonly log: Log
  /** Entries of the catalog: findings of an earlier incarnation that ingest does not have. */
  readonly stored: readonly unknown[]
  newKey(): string
  random(): number
}

/**
 * - found: not explained yet. Leaves to explaining, at most EXPLAINING_AT_ONCE at a time.
 * - explaining: the model is called. Leaves to ready.
 * - ready: to be offered. Leaves to offered when the edge to ingest has room.
 * - offered: under way to ingest. Removed with its answer, or back to ready after a backoff when it was refused.
 */
interface OutboxEntry {
  readonly key: string
  readonly observation: Observation
  state: 'found' | 'explaining' | 'ready' | 'offered'
  explained: Explanation | undefined
  refusals: number
  retry: Timer | undefined
}

/** Most findings in the outbox, of a few kilobytes each. One more is dropped, with an error in the log. */
const MAX_ENTRIES = 1_000
const EXPLAINING_AT_ONCE = 4
const BACKOFF = { initialMs: 1_000, maxMs: 60_000 }

export type IncidentOutbox = ReturnType<typeof createIncidentOutbox>

/**
 * The agent's incidents on their way to ingest: a transactional outbox. Each has an idempotency key, so it becomes one
 * incident however often it is offered.
 */
export function createIncidentOutbox(deps: IncidentOutboxDeps) {
  const entries = new Map<string, OutboxEntry>()
  let explaining = 0
  let awaitingRoom = false
  let closed = false
  for (const each of deps.stored) restore(each)

  function restore(value: unknown): void {
    const { key, observation } = (value ?? {}) as Partial<OutboxEntry>
    if (typeof key === 'string' && isObservation(observation)) entries.set(key, entryOf(key, observation))
  }

  function add(finding: Finding, atMs: number): void {
    const observation = observationOf(finding, atMs, deps.tickMs)
    const key = `agent-${deps.newKey()}`
    if (entries.size >= MAX_ENTRIES) {
      const fields = { pattern: observation.patternId, service: observation.service }
      return deps.log.error(fields, 'too many findings wait for ingest: one was dropped')
    }
    entries.set(key, entryOf(key, observation))
  }

  function flush(): void {
    for (const entry of entries.values()) {
      if (closed || explaining >= EXPLAINING_AT_ONCE) return
      if (entry.state === 'found') void explain(entry)
    }
  }

  async function explain(entry: OutboxEntry): Promise<void> {
    entry.state = 'explaining'
    explaining++
    entry.explained = await deps.analyst.explain(entry.observation)
    explaining--
    if (closed) return
    if (entry.explained.by !== 'rules') publish(entry, 'analysis', entry.explained.finding.title)
    entry.state = 'ready'
    offer()
    flush()
  }

  /** Offers all ready entries. Never waits: those without room stay ready until there is some. */
  function offer(): void {
    for (const entry of entries.values()) {
      if (closed || awaitingRoom) return
      if (entry.state !== 'ready' || !entry.explained) continue
      const content = Buffer.from(JSON.stringify(incidentOf(entry.observation, entry.explained)))
      if (deps.ingest.tell({ kind: 'raise', key: entry.key, content, receivedAt: deps.clock.now() })) {
        entry.state = 'offered'
      } else {
        awaitingRoom = true
        deps.ingest.whenRoom(() => {
          awaitingRoom = false
          offer()
        })
      }
    }
  }

  function answered({ key, answer }: Raised): void {
    const entry = entries.get(key)
    if (!entry || closed) return
    if (answer.kind === 'refused') return retryLater(entry, answer.code)
    entries.delete(key)
    const { patternId, service, verdict } = entry.observation
    deps.log.info({ id: answer.id, pattern: patternId, service, verdict }, 'the agent raised an incident')
    publish(entry, 'raised', entry.explained?.finding.title ?? '', answer.id)
  }

  function retryLater(entry: OutboxEntry, code: string): void {
    const delayMs = fullJitterMs(++entry.refusals, BACKOFF, deps.random())
    if (entry.refusals === 1)
      deps.log.warn({ code, service: entry.observation.service }, 'ingest refused a finding; it is offered again')
    entry.retry = deps.clock.setTimer(delayMs, () => {
      entry.state = 'ready'
      offer()
    })
  }

  function publish({ observation }: OutboxEntry, action: string, detail: string, id: string | null = null): void {
    if (!deps.publisher.hasSubscribers) return
    const at = isoTime(deps.clock.now())
    deps.publisher.publish({ kind: 'agent', at, action, detail, pattern_id: observation.patternId, incident_id: id })
  }

  return {
    /** Keeps a finding. Nothing is offered before `flush`. */
    add,
    flush,
    answered,
    /** Lists the findings that ingest does not have yet, as the catalog stores them. */
    pending: () => Array.from(entries.values(), ({ key, observation }) => ({ key, observation })),
    close() {
      closed = true
      for (const { retry } of entries.values()) retry?.cancel()
    },
  }
}

function entryOf(key: string, observation: Observation): OutboxEntry {
  return { key, observation, state: 'found', explained: undefined, refusals: 0, retry: undefined }
}

/** Returns a finding in the form that the model and the rules explain. */
function observationOf(found: Finding, atMs: number, tickMs: number): Observation {
  const { kind, pattern, samples, frequency, baseline, count } = found
  return {
    verdict: kind,
    patternId: pattern.id,
    template: pattern.template,
    source: pattern.source,
    service: pattern.service,
    rule: pattern.rule,
    samples,
    frequency,
    baseline,
    count,
    tickSeconds: tickMs / 1_000,
    firstSeen: isoTime(pattern.firstSeenMs),
    at: isoTime(atMs),
  }
}

/** Checks a value that was read from the catalog. */
function isObservation(value: unknown): value is Observation {
  if (typeof value !== 'object' || value === null) return false
  const { verdict, patternId, template, samples } = value as Partial<Observation>
  return (
    (verdict === 'unknown' || verdict === 'spike') &&
    typeof patternId === 'string' &&
    typeof template === 'string' &&
    Array.isArray(samples) &&
    samples.every((sample) => typeof sample === 'string')
  )
}
