import type { Handout, Settlement, Submission } from '../src/domain/commit.ts'
import type { ChannelName } from '../src/domain/delivery.ts'
import { CodedError, type ErrorCode } from '../src/domain/errors.ts'
import type { Actor } from '../src/kernel/actor.ts'
import type { Clock, Timer } from '../src/kernel/clock.ts'
import type { Ref } from '../src/kernel/ref.ts'
import { HandedOut, packContents } from '../src/store/handed.ts'
import type { Store } from '../src/store/store.ts'
import type { Commit, Committed, Deliver, StorageMail } from './messages.ts'

export interface StorageTools {
  readonly store: Store
  readonly ingest: Ref<Committed>
  /** One for each enabled channel; all beyond one link, since hand-outs of a turn share one transferred buffer. */
  readonly senders: ReadonlyMap<ChannelName, Ref<Deliver>>
  /** Most bytes of payload that one sender may hold. */
  readonly maxHandedBytes: number
  readonly clock: Clock
  /** The disk refused; what was settled will be written again. */
  failed(error: CodedError): void
}

/** Pruned in one turn beyond twice what the turn committed: retention keeps up without ever taking long. */
const PRUNE_STEP = 64
const RETRY_MS = 500
const CHECKPOINT_AFTER_MS = 1_000

interface Turn {
  readonly commits: readonly Commit[]
  readonly settlements: readonly Settlement[]
  readonly sendersLost: boolean
}

/** The only writer. All the mail of a turn is one transaction: one fsync, then the answers and the hand-outs it made durable. */
export function storageActor(tools: StorageTools): Actor<StorageMail> {
  const { store, senders, clock } = tools
  const handed = new HandedOut(tools.maxHandedBytes, (channel) => senders.get(channel)?.room ?? 0)
  /** Outcomes that the disk refused; their senders are through with them, so they wait here for the next turn. */
  let owed: readonly Settlement[] = []
  let wake: Timer | undefined
  let idle: Timer | undefined

  function receive(batch: readonly StorageMail[]): void {
    run(sorted(batch))
  }

  function run(turn: Turn): void {
    const settlements = [...owed, ...turn.settlements]
    owed = []
    if (turn.sendersLost) handed.clear()
    for (const settlement of settlements) handed.release(settlement)
    handed.begin()
    try {
      const { replies, handouts } = store.write(() => write({ ...turn, settlements }))
      for (const reply of replies) tools.ingest.tell(reply)
      handOut(handouts)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      owed = settlements
      for (const commit of turn.commits) tools.ingest.tell(refusal(commit, error.code))
      tools.failed(error)
    }
    sleep()
  }

  function write({ commits, settlements, sendersLost }: Turn): { replies: Committed[]; handouts: Handout[] } {
    const handouts: Handout[] = []
    if (sendersLost) store.reclaim([...senders.keys()])
    for (const settlement of settlements) store.settle(settlement)
    const replies = commits.map(({ batch, submissions }) => commit(batch, submissions, handouts))
    takeDue(handouts)
    store.prune(PRUNE_STEP + 2 * commits.reduce((sum, { submissions }) => sum + submissions.length, 0))
    return { replies, handouts }
  }

  function commit(batch: number, submissions: readonly Submission[], handouts: Handout[]): Committed {
    const results = submissions.map((submission) => {
      const committed = store.commit(submission, (channel, bytes) => handed.claim(channel, bytes))
      handouts.push(...committed.handouts)
      return committed.result
    })
    if (results.every(({ kind }) => kind === 'created')) return { kind: 'committed', batch }
    return { kind: 'committed', batch, results }
  }

  function takeDue(handouts: Handout[]): void {
    const now = clock.now()
    for (const channel of senders.keys()) {
      const dueAt = store.nextDueAt(channel)
      if (dueAt === undefined || dueAt > now) continue
      const left = handed.left(channel)
      if (left.places > 0) handouts.push(...store.take(channel, left))
    }
  }

  function handOut(handouts: readonly Handout[]): void {
    if (handouts.length === 0) return
    const { buffer, packed } = packContents(handouts)
    packed.forEach((handout, at) => {
      handed.hold(handout)
      senders.get(handout.channel)?.tell({ kind: 'deliver', handout }, at === 0 ? [buffer] : undefined)
    })
  }

  /** Until mail comes or something falls due; a channel without a free place is looked at when a settlement frees one. */
  function sleep(): void {
    wake?.cancel()
    idle?.cancel()
    const dueAt = earliestDue()
    wake = dueAt === undefined ? undefined : clock.setTimer(Math.max(1, dueAt - clock.now()), () => run(NOTHING_NEW))
    idle = clock.setTimer(CHECKPOINT_AFTER_MS, () => store.checkpoint())
  }

  function earliestDue(): number | undefined {
    const due = owed.length > 0 ? [clock.now() + RETRY_MS] : []
    for (const channel of senders.keys()) {
      const dueAt = handed.left(channel).places > 0 ? store.nextDueAt(channel) : undefined
      if (dueAt !== undefined) due.push(dueAt)
    }
    return due.length === 0 ? undefined : Math.min(...due)
  }

  return {
    receive,
    deadLetter(mail) {
      if (mail.kind === 'commit') tools.ingest.tell(refusal(mail, 'internal'))
    },
    close() {
      wake?.cancel()
      idle?.cancel()
    },
  }
}

const NOTHING_NEW: Turn = { commits: [], settlements: [], sendersLost: false }

function sorted(batch: readonly StorageMail[]): Turn {
  const commits: Commit[] = []
  const settlements: Settlement[] = []
  let sendersLost = false
  for (const mail of batch) {
    switch (mail.kind) {
      case 'commit':
        commits.push(mail)
        break
      case 'settle':
        settlements.push(mail.settlement)
        break
      case 'peer':
        sendersLost ||= !mail.up
        break
      default:
        mail satisfies never
    }
  }
  return { commits, settlements, sendersLost }
}

function refusal({ batch, submissions }: Commit, code: ErrorCode): Committed {
  return { kind: 'committed', batch, results: submissions.map(() => ({ kind: 'refused', code })) }
}
