import { isObject, type JsonObject } from '../../text/json-object.ts'
import { sourceName } from './versus.ts'

interface ImportedPatterns {
  /** Content of our patterns.json. */
  readonly document: object
  readonly count: number
}

/**
 * Translates their patterns.json. They learn lines without the time at their beginning, and lines without a time as
 * well, so each pattern is written in both forms. Their mean is per second when the entry has a variance or an average,
 * else per tick, as ours is.
 * @param pollSeconds length of their tick
 */
export function translatePatterns(stored: unknown, pollSeconds: number): ImportedPatterns {
  const theirs = isObject(stored) && isObject(stored.patterns) ? stored.patterns : {}
  const patterns: { [id: string]: object } = {}
  let count = 0
  for (const [key, entry] of Object.entries(theirs)) {
    if (!isObject(entry) || typeof entry.template !== 'string' || entry.template.trim() === '') continue
    count++
    const { org_id: _org, seasonal: _seasonal, baseline_variance: variance, baseline_avg: average, ...rest } = entry
    const mean = Number(entry.baseline_frequency) || 0
    const perSecond = variance !== undefined || average !== undefined
    const common = {
      ...rest,
      source: sourceName(String(entry.source ?? '')),
      baseline_frequency: perSecond ? mean * pollSeconds : mean,
      ...(entry.verdict === 'known' && { known_by: 'count' }),
    }
    const id = String(entry.id ?? key)
    for (const [name, template] of formsOf(id, entry.template)) patterns[name] = { ...common, id: name, template }
  }
  return { document: { version: 1, patterns, services: servicesOf(stored) }, count }
}

function formsOf(id: string, template: string): [string, string][] {
  return [
    [id, template],
    [`${id}-timed`, `<*> ${template}`],
  ]
}

function servicesOf(stored: unknown): JsonObject {
  return isObject(stored) && isObject(stored.services) ? stored.services : {}
}
