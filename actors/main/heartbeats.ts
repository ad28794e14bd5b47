import type { IntakeAnswer, Submit } from '../../src/http/contract.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { HeartbeatSettings } from '../../src/policy/heartbeat.ts'
import type { OwedIncident } from '../../src/store/ports/heartbeats.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { isoTimeOrNull } from '../../src/text/iso-time.ts'
import type { Ask } from '../messages/query.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'

interface HeartbeatDeps {
  readonly askStorage: Ask<StorageQueries>
  readonly submit: Submit
  readonly clock: Clock
  readonly log: Log
  /** Returns the heartbeats of the configuration that runs now. */
  heartbeats(): readonly HeartbeatSettings[]
}

const ASK_EVERY_MS = 2_000
/** Incidents that are raised at once; the others follow with the next question. */
const AT_ONCE = 64

/**
 * Raises the incidents of missing heartbeats, and resolves them, through ingest. Storage knows what is owed; a key makes
 * it one incident, so it is raised until storage has applied it. Safe to close twice.
 */
export function createHeartbeats({ askStorage, submit, clock, log, heartbeats }: HeartbeatDeps) {
  let timer: Timer | undefined
  let closed = false

  async function ask(): Promise<void> {
    if (heartbeats().length > 0) {
      // While the store thread is down nothing is known to be missing.
      const owed = await askStorage({ kind: 'owedHeartbeats' }).catch(() => [])
      for (const each of owed.slice(0, AT_ONCE)) raise(each)
    }
    wait()
  }

  function wait(): void {
    if (!closed) timer = clock.setTimer(ASK_EVERY_MS, () => void ask())
  }

  function raise(owed: OwedIncident): void {
    const settings = heartbeats().find(({ name }) => name === owed.name)
    if (settings === undefined || closed) return
    const { name, status, key } = owed
    const answer = (result: IntakeAnswer) => {
      if (result.kind === 'created')
        log.info({ id: result.id, heartbeat: name, status }, 'a heartbeat raised an incident')
      if (result.kind === 'refused')
        log.warn({ code: result.code, heartbeat: name }, 'the incident of a heartbeat was refused; it is raised again')
    }
    const request = { format: 'json', source: 'heartbeat', key, receivedAt: clock.now(), answer } as const
    submit(request, Buffer.from(JSON.stringify(incidentOf(owed, settings))))
  }

  return {
    start: wait,
    close(): void {
      closed = true
      timer?.cancel()
    },
  }
}

/** Recognised as an incident of the sender `custom`. */
function incidentOf({ name, status, since, heardAt }: OwedIncident, settings: HeartbeatSettings) {
  const { everyMs, graceMs, severity } = settings
  return {
    title: status === 'firing' ? `Heartbeat ${name} is missing` : `Heartbeat ${name} is back`,
    service: name,
    severity,
    status,
    fingerprint: `heartbeat ${name}`,
    heartbeat: name,
    last_heard_at: isoTimeOrNull(heardAt),
    missing_since: isoTimeOrNull(since),
    every_seconds: everyMs / 1_000,
    grace_seconds: graceMs / 1_000,
  }
}
