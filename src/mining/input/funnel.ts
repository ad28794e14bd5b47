import type { LogLine } from '../contract.ts'
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
export type PrepareLine = (event: RawEvent, source: string) => LogLine | undefined

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
