import type { IntakeAnswer, Submit } from '../../src/http/contract.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { HeartbeatSettings } from '../../src/policy/heartbeat.ts'
import type { OwedIncident } from '../../src/store/ports/heartbeats.ts'
import type { Log } from '../../src/telemetry/log.ts'
import { isoTimeOrNull } from '../../src/text/iso-time.ts'
import type { Ask } from '../messages/query.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'
import { reasonText } from './heartbeat-texts.ts'

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
  let asking = false
  /** A ping came since the question. */
  let again = false
  /** One that is not configured any more may owe its resolution. */
  let mayOwe = true

  async function ask(): Promise<void> {
    asking = true
    do {
      again = false
      await askOnce()
    } while (again)
    asking = false
    wait()
  }

  async function askOnce(): Promise<void> {
    if (heartbeats().length > 0) mayOwe = true
    if (!mayOwe) return
    // While the store thread is down nothing is known to be missing.
    const owed = await askStorage({ kind: 'owedHeartbeats' }).catch(() => undefined)
    for (const each of owed?.slice(0, AT_ONCE) ?? []) raise(each)
    mayOwe = owed === undefined || owed.length > 0
  }

  /** Asks now: a failure is raised, and a resolution, without waiting for the next question. */
  function look(): void {
    again = true
    if (asking || closed) return
    timer?.cancel()
    void ask()
  }

  function wait(): void {
    if (!closed) timer = clock.setTimer(ASK_EVERY_MS, () => void ask())
  }

  function raise(owed: OwedIncident): void {
    const settings = heartbeats().find(({ name }) => name === owed.name)
    const incident = settings === undefined ? incidentOfLeft(owed) : incidentOf(owed, settings)
    if (incident === undefined || closed) return
    const { name, status, key } = owed
    const answer = (result: IntakeAnswer) => {
      if (result.kind === 'created')
        log.info({ id: result.id, heartbeat: name, status }, 'a heartbeat raised an incident')
      if (result.kind === 'refused')
        log.warn({ code: result.code, heartbeat: name }, 'the incident of a heartbeat was refused; it is raised again')
    }
    const request = { format: 'json', source: 'heartbeat', key, receivedAt: clock.now(), answer } as const
    submit(request, Buffer.from(JSON.stringify(incident)))
  }

  return {
    start: wait,
    look,
    close(): void {
      closed = true
      timer?.cancel()
    },
  }
}

/** Recognised as an incident of the sender `custom`. */
function incidentOf(owed: OwedIncident, { everyMs, graceMs, maxRunMs, cron, severity }: HeartbeatSettings) {
  const said = owed.status === 'firing' ? reasonText(owed.why, maxRunMs) : 'is back'
  return {
    ...factsOf(owed),
    title: `Heartbeat ${owed.name} ${said}`,
    severity,
    ...(everyMs !== undefined && { every_seconds: everyMs / 1_000 }),
    ...(cron && { cron: cron.times, time_zone: cron.timeZone }),
    grace_seconds: graceMs / 1_000,
    ...(owed.why.kind === 'overrun' && { max_run_seconds: maxRunMs / 1_000 }),
  }
}

/** Returns the incident of one that left the configuration; undefined: it is being reloaded, and storage is asked again. */
function incidentOfLeft(owed: OwedIncident) {
  if (owed.left === undefined) return undefined
  const title =
    owed.status === 'firing'
      ? `Heartbeat ${owed.name} ${reasonText(owed.why, undefined)}`
      : `Heartbeat ${owed.name} is not configured any more, and is no longer missing`
  return { ...factsOf(owed), title, severity: owed.left }
}

function factsOf({ name, status, since, heardAt, why, startedAt, lastRunMs, output }: OwedIncident) {
  return {
    service: name,
    status,
    fingerprint: `heartbeat ${name}`,
    heartbeat: name,
    last_heard_at: isoTimeOrNull(heardAt),
    missing_since: isoTimeOrNull(since),
    ...(why.kind === 'failure' && why.exitStatus !== undefined && { exit_status: why.exitStatus }),
    ...(startedAt !== undefined && { running_since: isoTimeOrNull(startedAt) }),
    ...(lastRunMs !== undefined && { last_run_seconds: lastRunMs / 1_000 }),
    ...(output !== undefined && { output }),
  }
}
