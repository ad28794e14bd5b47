import type { Observation } from '../../src/analysis/contract.ts'
import type { Finding } from '../../src/mining/contract.ts'
import { isoTime } from '../../src/text/iso-time.ts'

/** Returns a finding in the form that the model and the rules explain. */
export function observationOf(found: Finding, atMs: number, tickMs: number): Observation {
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
export function isObservation(value: unknown): value is Observation {
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
