import { createIdMaker } from '../../src/intake/id.ts'
import { recognise } from '../../src/intake/recognise.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import { RAISE_WINDOW, type Raised } from '../messages/agent.ts'
import { type Accept, COMMIT_WINDOW, type Commit } from '../messages/ingest-storage.ts'
import type { IngestMail } from '../messages/mailboxes.ts'
import type { LogReports } from '../wiring/log-reports.ts'
import type { Spawn } from '../wiring/spawn.ts'
import { type IngestCounts, ingestActor } from './ingest.ts'

interface IngestCellDeps {
  readonly spawn: Spawn
  readonly store: Link
  /** Absent on the threads to which the agent raises no incidents. */
  readonly agent?: Link
  readonly clock: Clock
  readonly report: Pick<LogReports, 'payloadFailed'>
  readonly counts: IngestCounts
  readonly maxInflight: number
  /** Name of the actor in metrics and logs. */
  readonly name: string
  /** Index of this front in `StoreBoot.fronts`. */
  readonly front: number
  /** Batches are numbered from here: above all numbers of earlier incarnations of the front. */
  readonly firstBatch: number
}

/**
 * Starts ingest with its edges to storage and from the agent. `ingestEdge` is the front's edge to it, with
 * `maxInflight` places.
 */
export function createIngest({ store, agent, counts, maxInflight, name, front, firstBatch, ...deps }: IngestCellDeps) {
  const { spawn, clock, report } = deps
  const storage: Ref<Commit> = store.outlet('storage', COMMIT_WINDOW)
  const raised = agent ? repliesTo(agent) : () => {}
  const newId = createIdMaker(() => clock.now())
  let lastBatch = firstBatch
  const nextBatch = () => ++lastBatch
  const storageUp = () => store.up
  const failed = report.payloadFailed
  const { cell } = spawn<IngestMail>({
    name,
    address: 'ingest',
    places: maxInflight + COMMIT_WINDOW + RAISE_WINDOW,
    batch: 1_024,
    slots: 'held',
    from: agent ? [store, agent] : [store],
    watch: [store],
    build: () => ingestActor({ storage, front, storageUp, recognise, newId, nextBatch, counts, clock, failed, raised }),
  })
  const ingestEdge: Ref<Accept> = nearRef('ingest', cell.mailbox as Mailbox<Accept>, maxInflight)
  return { ingest: cell, ingestEdge }
}

/**
 * Answers the agent. Drops answers when the agent thread ends: the next incarnation offers again what it had no answer
 * to.
 */
function repliesTo(agent: Link): (mail: Raised) => void {
  const replies = new SendBuffer<Raised>(agent.outlet('agent', RAISE_WINDOW))
  agent.watch((up) => up || replies.clear())
  return (mail) => replies.tell(mail, () => {})
}
