import { idMaker } from '../../src/intake/id.ts'
import { recognise } from '../../src/intake/recognise.ts'
import { Cell } from '../../src/kernel/cell.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Mailbox } from '../../src/kernel/mailbox.ts'
import { nearRef, type Ref } from '../../src/kernel/ref.ts'
import { Outbox } from '../../src/kernel/send-buffer.ts'
import type { Turns } from '../../src/kernel/turn-scheduler.ts'
import { RAISE_WINDOW, type Raised } from '../messages/agent.ts'
import { type Accept, COMMIT_WINDOW, type Commit } from '../messages/ingest-storage.ts'
import type { IngestMail } from '../messages/mailboxes.ts'
import { PEER_WINDOW } from '../messages/peer.ts'
import type { Reports } from '../wiring/log-reports.ts'
import { type IngestCounts, ingestActor } from './ingest.ts'

export interface IngestParts {
  readonly store: Link
  /** Of an agent that raises incidents here. */
  readonly agent?: Link
  readonly clock: Clock
  readonly turns: Turns
  readonly report: Reports
  readonly counts: IngestCounts
  readonly maxInflight: number
  readonly name?: string
  /** How batches are numbered: so that no front ever has a number that was another's, or its own in an earlier life. */
  readonly batches?: { readonly first: number; readonly step: number }
}

/** The IngestActor, wired to storage, and the front's edge to it. */
export function ingestOn(parts: IngestParts) {
  const { store, agent, clock, turns, report, counts, maxInflight, name = 'ingest', batches = ONE_BY_ONE } = parts
  const storage: Ref<Commit> = store.outlet('storage', COMMIT_WINDOW)
  const raising = agent ? agentEdges(agent) : NOBODY_RAISES
  const newId = idMaker(() => clock.now())
  let lastBatch = batches.first
  const nextBatch = () => {
    lastBatch += batches.step
    return lastBatch
  }
  const storageUp = () => store.up
  const cell = new Cell<IngestMail>(
    {
      name,
      mailbox: { capacity: maxInflight + COMMIT_WINDOW + RAISE_WINDOW + PEER_WINDOW, whenFull: 'refuse' },
      batch: 1_024,
      places: 'held',
      build: () =>
        ingestActor({
          ...{ storage, storageUp, recognise, newId, nextBatch, counts, clock },
          ...{ failed: report.payloadFault, raised: raising.raised },
        }),
    },
    { clock, turns, report: report.cell },
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
  const replies = new Outbox<Raised>(link.outlet('agent', RAISE_WINDOW))
  link.watch((up) => up || replies.clear())
  return { raised: (mail: Raised) => replies.tell(mail, () => {}) }
}

const ONE_BY_ONE = { first: 0, step: 1 }
const NOBODY_RAISES: ReturnType<typeof agentEdges> = { raised() {} }
