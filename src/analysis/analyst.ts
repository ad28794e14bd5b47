import { LRUCache } from 'lru-cache'
import { errorText } from '../text/error-text.ts'
import { isoTime } from '../text/iso-time.ts'
import {
  type AnalysisBackend,
  AnalysisFailure,
  type AnalysisFinding,
  type CallResult,
  type Observation,
} from './contract.ts'
import type { CallOutcome, DetectLog } from './detect-log.ts'
import { findingOf, ruleBasedFinding } from './finding.ts'

/** A finding and its origin. */
export interface Explanation {
  readonly finding: AnalysisFinding
  readonly by: 'model' | 'cache' | 'rules'
  /** Why the finding is one of rules; '' otherwise. */
  readonly note: string
}

interface AnalystOptions {
  /** Without it, all findings are those of rules. */
  readonly backend?: AnalysisBackend
  readonly log: DetectLog
  readonly cacheTtlMs: number
  /** Epoch milliseconds. */
  now(): number
  newId(): string
  /** Deadline of one call. */
  readonly deadlineMs: number
}

const MAX_CACHED = 1_000
/**
 * Failures in a row after which the model is not called for `PAUSE_MS`, so that incidents do not wait for it (circuit
 * breaker).
 */
const FAILURES_BEFORE_PAUSE = 3
const PAUSE_MS = 60_000
const MAX_RAW = 16_384
const MAX_ERROR = 500

/** Explains observations: from the cache, by the model, or by rules when there is no model's finding. */
export class Analyst {
  readonly #options: AnalystOptions
  readonly #cache: LRUCache<string, AnalysisFinding> | undefined
  #failures = 0
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(options: AnalystOptions) {
    const { cacheTtlMs, now, log } = options
    this.#options = options
    if (cacheTtlMs === 0) return
    this.#cache = new LRUCache({ max: MAX_CACHED, ttl: cacheTtlMs, ttlResolution: 0, perf: { now } })
    for (const event of log.events().reverse()) {
      const finding = findingOf(event.finding)
      const start = Date.parse(event.at)
      if (finding && now() - start < cacheTtlMs)
        this.#cache.set(keyOf(event.pattern_id, event.verdict), finding, { start })
    }
  }

  /** Returns a finding for an observation. Never rejects. Takes at most the deadline and 500 ms. */
  async explain(observation: Observation): Promise<Explanation> {
    const { backend, log, now } = this.#options
    const byRules = (note: string): Explanation => ({ finding: ruleBasedFinding(observation), by: 'rules', note })
    if (!backend) return byRules('no model is enabled')
    const key = keyOf(observation.patternId, observation.verdict)
    const known = this.#cache?.get(key)
    if (known) return { finding: known, by: 'cache', note: '' }
    if (now() < this.#pausedUntil) return byRules('the model has failed several times and is left alone for a minute')
    if (!log.mayCall()) return byRules('the calls of this hour are used up')
    const called = await this.#call(backend, observation)
    if (typeof called === 'string') return byRules(called)
    this.#cache?.set(key, called)
    return { finding: called, by: 'model', note: '' }
  }

  status() {
    return { cached: this.#cache?.size ?? 0, paused: this.#options.now() < this.#pausedUntil }
  }

  /** Calls the model. Returns its finding, or a text with the reason why there is none. */
  async #call(backend: AnalysisBackend, observation: Observation): Promise<AnalysisFinding | string> {
    const startedAt = this.#options.now()
    try {
      const result = await withDeadline(this.#options.deadlineMs, (signal) => backend.analyze(observation, signal))
      const finding = findingOf(result.finding)
      if (!finding) throw new AnalysisFailure('unparsable', 'the answer does not fit the schema', result)
      this.#record(observation, { ...result, finding, outcome: 'ok', error: '', startedAt })
      this.#failures = 0
      return finding
    } catch (error) {
      const failure = failureOf(error)
      const { message, kind } = failure
      this.#record(observation, { ...failure.call, finding: null, outcome: kind, error: message, startedAt })
      if (++this.#failures % FAILURES_BEFORE_PAUSE === 0) this.#pausedUntil = this.#options.now() + PAUSE_MS
      return `the model gave no finding (${kind})`
    }
  }

  #record(observation: Observation, call: RecordedCall): void {
    const { patternId, verdict, source, service, template } = observation
    const { prompts = '', rawResponse = '', model = '', finding, outcome, error, startedAt } = call
    this.#options.log.add({
      id: this.#options.newId(),
      at: isoTime(startedAt),
      pattern_id: patternId,
      verdict,
      source,
      service,
      template,
      outcome,
      error: error.slice(0, MAX_ERROR),
      finding,
      prompts,
      raw_response: rawResponse.slice(0, MAX_RAW),
      model,
      duration_ms: Math.round(call.durationMs ?? this.#options.now() - startedAt),
    })
  }
}

type RecordedCall = Partial<Omit<CallResult, 'finding'>> & {
  readonly finding: AnalysisFinding | null
  readonly outcome: CallOutcome
  readonly error: string
  readonly startedAt: number
}

const keyOf = (patternId: string, verdict: string) => `${verdict}\n${patternId}`

const GRACE_MS = 500

/** Calls with a deadline. A backend that ignores the signal is abandoned after a grace time. */
async function withDeadline<T>(deadlineMs: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timeout = () => late.reject(new AnalysisFailure('timeout', 'the model did not answer in time'))
  const timer = setTimeout(timeout, deadlineMs + GRACE_MS)
  try {
    return await Promise.race([call(AbortSignal.timeout(deadlineMs)), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Converts any error, because custom backends may throw anything. */
function failureOf(error: unknown): AnalysisFailure {
  if (error instanceof AnalysisFailure) return error
  const timeout = error instanceof Error && error.name === 'TimeoutError'
  return new AnalysisFailure(timeout ? 'timeout' : 'failed', errorText(error))
}
