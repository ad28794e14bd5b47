import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adviceOf } from '../../channels/index.ts'
import { isObject } from '../../text/json-object.ts'
import type { Config } from '../complete.ts'

/** Incidents of a large storm. */
const ENOUGH_INCIDENTS = 100_000

/** Returns advice about settings that work and could be better, one sentence each. It is given on request only. */
export function adviceOn({ alert, storage }: Pick<Config, 'alert' | 'storage'>): string[] {
  const enabled = Object.values(alert.channels).filter(({ enable }) => enable)
  return [...enabled.flatMap(adviceOf), ...moreIncidents({ alert, storage })]
}

function moreIncidents({ alert, storage }: Pick<Config, 'alert' | 'storage'>): string[] {
  const folding = Object.values(alert.channels).filter(({ enable, storm }) => enable && storm.enable)
  if (folding.length === 0 || storage.maxIncidents >= ENOUGH_INCIDENTS) return []
  const names = folding.map(({ name }) => name).join(', ')
  const [kept, enough] = [storage.maxIncidents, ENOUGH_INCIDENTS].map((count) => count.toLocaleString('en'))
  return [
    `storage.${storage.type}.max_incidents: keeps ${kept} finished incidents, and one storm may bring more; ${names} may send digests, which list the incidents that are still kept: consider ${enough}`,
  ]
}

/**
 * Warns of learned patterns that match no line, because their source is not configured under its name. Those in
 * PostgreSQL are not looked at; a file of them may be left of a time before.
 */
export function catalogWarnings({ agent, storage }: Pick<Config, 'agent' | 'storage'>): string[] {
  if (!agent.enable || storage.type !== 'file') return []
  const path = join(storage.dataDir, 'patterns.json')
  if (!existsSync(path)) return []
  const configured = new Set(agent.sources.map(({ name }) => name))
  const unused = new Map<string, number>()
  for (const source of sourcesIn(path)) if (!configured.has(source)) unused.set(source, (unused.get(source) ?? 0) + 1)
  return [...unused].map(
    ([source, count]) =>
      `${path}: ${count} patterns belong to the source ${JSON.stringify(source)}, which agent.sources does not have, so they match no line; tocsin import translates patterns of another gateway`,
  )
}

/** Returns the source of every pattern. A file that the service cannot read either has none. */
function sourcesIn(path: string): string[] {
  let stored: unknown
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return []
  }
  const patterns = isObject(stored) && isObject(stored.patterns) ? Object.values(stored.patterns) : []
  return patterns.flatMap((pattern) =>
    isObject(pattern) && typeof pattern.source === 'string' ? [pattern.source] : [],
  )
}
