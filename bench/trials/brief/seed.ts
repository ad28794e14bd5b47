import { join } from 'node:path'
import { INDEX_SLICE } from '../../../actors/store/indexing.ts'
import { incidentId } from '../../../src/domain/incident-id.ts'
import { labelsOf, recognise } from '../../../src/intake/recognise.ts'
import { briefPart } from '../../../src/store/brief/part.ts'
import { openStore } from '../../../src/store/store.ts'
import { commitDrafts } from '../../seed/commit-drafts.ts'
import { alertOf } from './payloads.ts'

export interface HistorySize {
  readonly openings: number
  readonly problems: number
  readonly incidents: number
}

const BATCH = 1_000
const MINUTE_MS = 60_000

/**
 * Fills a data directory: all problems fire and end in turn until there are enough openings. Their words and the full-text
 * index are read, as the service does in quiet moments.
 */
export function seedHistory(scratch: string, size: HistorySize, progress: (what: string) => void): string {
  const { openings, problems, incidents } = size
  const dataDir = join(scratch, `brief-${openings}`)
  let now = Date.now() - ((2 * openings) / BATCH + 1) * MINUTE_MS
  const brief = { openings, labelsOf, part: briefPart }
  const limits = { maxIncidents: incidents, maxBacklog: incidents }
  const store = openStore({ dataDir, channels: [], ...limits, brief, now: () => now })
  let number = 0

  function commit(from: number, status: 'firing' | 'resolved'): void {
    now += MINUTE_MS
    const drafts = Array.from({ length: BATCH }, (_, at) => {
      const payload = alertOf((from + at) % problems, status)
      const content = Buffer.from(JSON.stringify(payload))
      const id = incidentId(`${now.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-`, ++number)
      return { ...recognise(payload), id, source: 'webhook' as const, createdAt: now, content }
    })
    commitDrafts(store, drafts)
  }

  for (let from = 0; from < openings; from += BATCH) {
    commit(from, 'firing')
    commit(from, 'resolved')
    while ((store.brief?.readWords(BATCH) ?? 0) > 0);
    if (from % (BATCH * 20) === 0) progress(`${from} of ${openings} openings`)
  }
  while (store.maintenance.index(INDEX_SLICE) > 0);
  store.close()
  return dataDir
}
