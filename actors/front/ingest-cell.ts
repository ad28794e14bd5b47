import type { Submit } from '../../src/http/contract.ts'
import type { CellStatus } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import type { IngestMeters } from '../../src/telemetry/meters.ts'
import { RAISE_WINDOW, type Raised } from '../messages/agent.ts'
import { COMMIT_WINDOW, type Commit } from '../messages/ingest-journal.ts'
import type { IngestMail } from '../messages/mailboxes.ts'
import type { LogReports } from '../wiring/log-reports.ts'
import { repliesOver } from '../wiring/replies-over.ts'
import type { Spawn } from '../wiring/spawn.ts'
import { Ingest, type IngestCounts } from './ingest.ts'

interface IngestCellDeps {
  readonly spawn: Spawn
  readonly scheduler: Pick<TurnScheduler, 'runActor' | 'flushLinks'>
  readonly journal: Link
  /** Absent on the threads to which the agent raises no incidents. */
  readonly agent?: Link
  readonly clock: Clock
  readonly report: Pick<LogReports, 'answerFailed'>
  readonly counts: IngestCounts
  readonly maxInflight: number
  readonly answerWithinMs: number
  /** Name of the actor in metrics and logs. */
  readonly name: string
  /** Index of this front in `JournalBoot.fronts`. */
  readonly front: number
  /** Batches are numbered from here: above all numbers of earlier incarnations of the front. */
  readonly firstBatch: number
}

/**
 * Starts ingest with its edges to the journal and from the agent. `submit` is the front's way in. In the status,
 * requests that wait for the disk occupy places of the mailbox.
 */
export function createIngest({
  journal: link,
  agent,
  maxInflight,
  answerWithinMs,
  name,
  front,
  firstBatch,
  ...deps
}: IngestCellDeps) {
  const { spawn, scheduler, clock, report, counts } = deps
  let lastBatch = firstBatch
  const ingest = new Ingest({
    plain: link.outlet<Commit>('journal', COMMIT_WINDOW),
    keyed: link.outlet<Commit>('keyed', COMMIT_WINDOW),
    front,
    nextBatch: () => ++lastBatch,
    journalUp: () => link.up,
    maxInflight,
    answerWithinMs,
    counts,
    clock,
    scheduler,
    failed: report.answerFailed,
    raised: agent ? repliesTo(agent) : () => {},
  })
  const { cell } = spawn<IngestMail>({
    name,
    address: 'ingest',
    places: COMMIT_WINDOW + RAISE_WINDOW,
    batch: 1_024,
    slots: 'held',
    from: agent ? [link, agent] : [link],
    watch: [link],
    build: () => ingest,
  })
  const submit: Submit = (intake, body) => ingest.submit(intake, body)
  const status = (): CellStatus => {
    const { queued, capacity, refused, ...mailbox } = cell.status()
    const occupied = queued + ingest.inflight
    return { ...mailbox, queued, occupied, capacity: capacity + maxInflight, refused: refused + ingest.refused }
  }
  return { submit, ingest: { status, close: () => cell.close() } }
}

/**
 * Answers the agent. Drops answers when the agent thread ends: the next incarnation offers again what it had no answer
 * to.
 */
function repliesTo(agent: Link): (mail: Raised) => void {
  const replies = repliesOver<Raised>(agent, 'agent', RAISE_WINDOW)
  return (mail) => replies.tell(mail, () => {})
}

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
