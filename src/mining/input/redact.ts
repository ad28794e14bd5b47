import { RE2JS } from 're2js'
import { ADDRESSES, mask, REDACTIONS } from './redactions.ts'

export interface RedactOptions {
  readonly enable: boolean
  readonly redactIps: boolean
  /** RE2 syntax; the whole match is masked. */
  readonly extraPatterns: readonly string[]
}

/** Masks credentials and personal data in a text. Runs before any other code sees the text. */
type Redact = (text: string) => string

export function createRedact({ enable, redactIps, extraPatterns }: RedactOptions): Redact {
  if (!enable) return (text) => text
  const rules = redactIps ? [...REDACTIONS, ...ADDRESSES] : REDACTIONS
  const extra = extraPatterns.map((source) => RE2JS.compile(source))
  return (text) => {
    let clean = text
    for (const { hint, pattern, replace } of rules)
      if (hint.test(clean)) clean = clean.replace(pattern, replace as (whole: string) => string)
    for (const pattern of extra) if (pattern.test(clean)) clean = pattern.matcher(clean).replaceAll(mask('custom'))
    return clean
  }
}
