import type { LogLine } from '../contract.ts'
import type { RawEvent } from '../sources/contract.ts'
import { createPrefilter, type PrefilterOptions } from './prefilter.ts'
import { createRedact, type RedactOptions } from './redact.ts'
import { createServiceOf } from './service-extractor.ts'

export interface FunnelOptions {
  readonly redaction: RedactOptions
  readonly regex: PrefilterOptions
  readonly servicePatterns: readonly string[]
}

/** What of an event may be learned: masked, and only if a rule lets it through. */
export type Funnel = (event: RawEvent, source: string) => LogLine | undefined

export function createFunnel({ redaction, regex, servicePatterns }: FunnelOptions): Funnel {
  const redact = createRedact(redaction)
  const prefilter = createPrefilter(regex)
  const serviceOf = createServiceOf(servicePatterns)
  return ({ text: raw, service: labelled }, source) => {
    const text = redact(raw)
    const rule = prefilter(text)
    if (rule === undefined) return undefined
    return { text, source, rule, service: serviceOf(text, source, labelled && redact(labelled)) }
  }
}
