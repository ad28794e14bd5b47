import { RE2JS } from 're2js'
import type { LogLine } from '../contract.ts'
import type { AnomalyDetector } from '../detect/anomaly-detector.ts'
import type { PrepareOptions } from '../options.ts'
import type { RawEvent } from '../sources/contract.ts'
import { createRedact } from './redactions.ts'
import { createServiceExtractor } from './service-extractor.ts'

/** Redacts an event and adds its rule and service. Returns undefined when no rule matches. */
type PrepareLine = (event: RawEvent, source: string) => LogLine | undefined

export function createPrepareLine({ redaction, regex, servicePatterns }: PrepareOptions): PrepareLine {
  const redact = createRedact(redaction)
  const prefilter = createPrefilter(regex)
  const serviceOf = createServiceExtractor(servicePatterns)
  return ({ text: raw, service: labelled }, source) => {
    const text = redact(raw)
    const rule = prefilter(text)
    if (rule === undefined) return undefined
    return { text, source, rule, service: serviceOf(text, source, labelled && redact(labelled)) }
  }
}
interface LinePipelineDeps {
  readonly prepareLine: PrepareLine
  readonly detector: Pick<AnomalyDetector, 'observe'>
  /** Epoch milliseconds. */
  now(): number
  /** Called with the first error that processing a line throws: a bug. */
  failed(error: unknown): void
}

const RATE_SECONDS = 5

/** Prepares events and feeds them to the detector. An event that throws is counted and skipped. */
export class LinePipeline {
  readonly #deps: LinePipelineDeps
  /** Number of events in each of the last seconds. */
  readonly #seconds = new Map<number, number>()
  events = 0
  learned = 0
  failures = 0

  constructor(deps: LinePipelineDeps) {
    this.#deps = deps
  }

  process(source: string, events: readonly RawEvent[]): void {
    const now = this.#deps.now()
    this.events += events.length
    const second = Math.floor(now / 1_000)
    this.#seconds.set(second, (this.#seconds.get(second) ?? 0) + events.length)
    for (const old of this.#seconds.keys()) if (old < second - RATE_SECONDS) this.#seconds.delete(old)
    for (const event of events) this.#learn(event, source, now)
  }

  /** Returns the mean over the last five whole seconds. */
  linesPerSecond(): number {
    const second = Math.floor(this.#deps.now() / 1_000)
    let sum = 0
    for (const [at, count] of this.#seconds) if (at < second && at >= second - RATE_SECONDS) sum += count
    return sum / RATE_SECONDS
  }

  #learn(event: RawEvent, source: string, now: number): void {
    try {
      const line = this.#deps.prepareLine(event, source)
      if (!line) return
      this.#deps.detector.observe(line, now)
      this.learned++
    } catch (error) {
      if (this.failures++ === 0) this.#deps.failed(error)
    }
  }
}

/**
 * Returns the name of the first rule that matches anywhere in the text, `default` for the default pattern. Returns
 * undefined when the line is to be dropped.
 */
type Prefilter = (text: string) => string | undefined

const EVERYTHING = new Set(['', '.*', '.+', '(?s).*', '(?s).+'])

function createPrefilter({ defaultPattern, rules }: PrepareOptions['regex']): Prefilter {
  const named = [...rules, { name: 'default', pattern: defaultPattern }]
  const tests = named.map(({ name, pattern }) => ({ name, matches: matcherOf(pattern) }))
  return (text) => {
    for (const { name, matches } of tests) if (matches(text)) return name
    return undefined
  }
}

function matcherOf(pattern: string): (text: string) => boolean {
  if (EVERYTHING.has(pattern)) return () => true
  const compiled = RE2JS.compile(pattern)
  return (text) => compiled.test(text)
}
