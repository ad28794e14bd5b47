import type { Submit } from '../../src/http/contract.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { Accept } from '../messages/ingest-storage.ts'

/** Upper bound in bytes for accepted but uncommitted requests. One request is always let in, however large. */
const MAX_INFLIGHT_BYTES = 64 * 1024 * 1024

/** Estimate of what one incident occupies beside its payload: its record here and on its way to storage. */
const INCIDENT_BYTES = 1_024

/**
 * Flushes after this many requests instead of at the end of the event-loop turn, so that parsing, fsync and clients
 * overlap. Otherwise all clients would be read, committed and answered in lockstep.
 */
const FLUSH_AFTER_REQUESTS = 32

/**
 * Returns the front's way in to ingest, bounded by requests (the edge's window) and by bytes. `submit` returns false
 * when either bound is reached (503 ingest_full).
 */
export function createAdmission(ingest: Ref<Accept>, scheduler: Pick<TurnScheduler, 'flushNow'>): Submit {
  let inflightBytes = 0
  let requests = 0
  return (intake, answer) => {
    const size = intake.documents.reduce((sum, { bytes }) => sum + bytes.length + INCIDENT_BYTES, 0)
    if (inflightBytes > 0 && inflightBytes + size > MAX_INFLIGHT_BYTES) return false
    const taken = ingest.tell({
      kind: 'accept',
      source: 'webhook',
      ...intake,
      answer(result) {
        inflightBytes -= size
        answer(result)
      },
    })
    if (taken) inflightBytes += size
    requests++
    if (requests % FLUSH_AFTER_REQUESTS === 0) scheduler.flushNow()
    return taken
  }
}
