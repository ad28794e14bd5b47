import { createIdMaker } from '../../src/intake/id.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { Cell } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { TurnScheduler } from '../../src/kernel/turn-scheduler.ts'
import { RAISE_WINDOW, type Raised } from '../messages/agent.ts'
import { type Accept, COMMIT_WINDOW, type Commit } from '../messages/ingest-storage.ts'
import type { IngestMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import type { LogReports } from '../wiring/log-reports.ts'
import { type IngestCounts, ingestActor } from './ingest.ts'

interface IngestCellDeps {
  readonly store: Link
  /** Of an agent that raises incidents here. */
  readonly agent?: Link
  readonly clock: Clock
  readonly scheduler: TurnScheduler
  readonly report: LogReports
  readonly counts: IngestCounts
  readonly maxInflight: number
  readonly name?: string
  /** Index of this front in `StoreBoot.fronts`; absent: 0, main's. */
  readonly front?: number
  /** Batches are numbered from here: above all numbers of earlier runs of the thread. Absent: 0. */
  readonly firstBatch?: number
}

/** The IngestActor, wired to storage, and the front's edge to it. */
export function createIngest(deps: IngestCellDeps) {
  const {
    store,
    agent,
    clock,
    scheduler,
    report,
    counts,
    maxInflight,
    name = 'ingest',
    front = 0,
    firstBatch = 0,
  } = deps
  const storage: Ref<Commit> = store.outlet('storage', COMMIT_WINDOW)
  const agentReplies = agent ? agentEdges(agent) : NO_AGENT
  const newId = createIdMaker(() => clock.now())
  let lastBatch = firstBatch
  const nextBatch = () => ++lastBatch
  const storageUp = () => store.up
  const cell = new Cell<IngestMail>(
    {
      name,
      mailbox: { capacity: maxInflight + COMMIT_WINDOW + RAISE_WINDOW + PEER_WINDOW, whenFull: 'refuse' },
      batch: 1_024,
      slots: 'held',
      build: () =>
        ingestActor({
          storage,
          front,
          storageUp,
          recognise,
          newId,
          nextBatch,
          counts,
          clock,
          failed: report.payloadFault,
          raised: agentReplies.raised,
        }),
    },
    { clock, scheduler, report: report.cell },
  )
  store.inlet('ingest', cell.mailbox)
  agent?.inlet('ingest', cell.mailbox)
  const peer = nearRef<IngestMail>('ingest', cell.mailbox, PEER_WINDOW)
  store.watch((up) => peer.tell({ kind: 'peer', up }))
  const ingestEdge: Ref<Accept> = nearRef('ingest', cell.mailbox as Mailbox<Accept>, maxInflight)
  return { ingest: cell, ingestEdge }
}

/** Answers to an agent that is gone are dropped: the next one offers again what it had no answer to. */
function agentEdges(link: Link) {
  const replies = new SendBuffer<Raised>(link.outlet('agent', RAISE_WINDOW))
  link.watch((up) => up || replies.clear())
  return { raised: (mail: Raised) => replies.tell(mail, () => {}) }
}

const NO_AGENT: ReturnType<typeof agentEdges> = { raised() {} }
