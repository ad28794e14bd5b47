import { RE2JS } from 're2js'

/** Returns the service that a line belongs to; the name of the source when the line names none. */
type ExtractService = (text: string, source: string, labelled?: string) => string

/** Bounds for names found in log lines: names beyond the limit count as the source. Names are never forgotten. */
const MAX_SERVICES = 1_000
const MAX_NAME = 64

/** Matches `service=ledger` and `"service_name": "ledger"`, not prose such as `out of service: come back`. */
const NAMED = /\bservice(?:[_.-]?name)?(?:["']\s{0,2}:\s{0,2}["']|[=:]["']?)([A-Za-z][\w.-]{1,63})/i
const NAMED_HINT = /service/i
/** Matches the syslog header `Jun  9 06:06:20 host ledger[4711]:`, also with an ISO time. */
const SYSLOG =
  /^(?:<\d{1,3}>1? ?)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.]{8,15}(?:Z|[+-]\d\d:?\d\d)?) [\w.-]{1,64} ([A-Za-z][\w./-]{0,62})(?:\[\d{1,10}\])?: /

/** @param patterns RE2 syntax, tried before labels and built-in patterns; the first group is the service. */
export function createServiceExtractor(patterns: readonly string[]): ExtractService {
  const configuredPatterns = patterns.map((source) => RE2JS.compile(source))
  const seen = new Set<string>()
  const bounded = (name: string, source: string) => {
    const short = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name
    if (seen.has(short)) return short
    if (seen.size >= MAX_SERVICES) return source
    seen.add(short)
    return short
  }
  return (text, source, labelled) => {
    const name = configured(configuredPatterns, text) || labelled || builtIn(text)
    return name ? bounded(name, source) : source
  }
}

function configured(patterns: readonly RE2JS[], text: string): string | undefined {
  for (const pattern of patterns) {
    if (!pattern.test(text)) continue
    const matcher = pattern.matcher(text)
    const name = matcher.find() ? matcher.group(1)?.trim() : undefined
    if (name) return name
  }
  return undefined
}

function builtIn(text: string): string | undefined {
  if (NAMED_HINT.test(text)) {
    const name = NAMED.exec(text)?.[1]
    if (name) return name
  }
  return SYSLOG.exec(text)?.[1]
}
