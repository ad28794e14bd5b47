import type { AnomalyDetector, LogLine } from '../contract.ts'
import type { RawEvent } from '../sources/contract.ts'
import { createPrefilter, type PrefilterOptions } from './prefilter.ts'
import { createRedact, type RedactOptions } from './redact.ts'
import { createServiceExtractor } from './service-extractor.ts'

export interface PrepareOptions {
  readonly redaction: RedactOptions
  readonly regex: PrefilterOptions
  readonly servicePatterns: readonly string[]
}

/** What of an event may be learned: masked, and only if a rule lets it through. */
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
  /** A line that could not be learned: a fault of ours. Told of the first one. */
  failed(error: unknown): void
}

const RATE_SECONDS = 5

/** What becomes of the events that were read: the ones worth it are learned. One line that cannot be stood costs no other. */
export class LinePipeline {
  readonly #deps: LinePipelineDeps
  /** Events of each of the last seconds. */
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

  /** Over the last whole seconds. */
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
