import type { IngestMeters } from '../../src/telemetry/meters.ts'
import type { IngestCounts } from './ingest.ts'

export function ingestCounts({ accepted, duplicates, commitMs, batch }: IngestMeters): IngestCounts {
  return {
    batch(incidents, ms) {
      batch.record(incidents)
      commitMs.record(ms)
    },
    accepted: (source, incidents) => accepted[source].add(incidents),
    duplicate: () => duplicates.add(),
  }
}
