import { CodedError } from '../../src/domain/errors.ts'
import { readFrameHeader } from '../../src/domain/frame.ts'
import type { Journal } from '../../src/journal/contract.ts'
import { KeysTaken } from '../../src/journal/errors.ts'
import type { SharedProgress } from '../../src/journal/progress.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import type { Clock, Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import { type Receiver, SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Commit, Committed } from '../messages/ingest-journal.ts'
import type { JournalMail } from '../messages/mailboxes.ts'
import { createDiskState } from '../wiring/disk-state.ts'
import type { Keys, LookedUp } from './keys.ts'
import { GroupPlan, refusal } from './plan.ts'
import type { Quota } from './quota.ts'

/** A batch of a front. It holds its slot until its answer is sent. */
export interface PendingCommit extends Pick<Commit, 'front' | 'batch' | 'frame'> {
  readonly slot: Slot
}

/**
 * Answers to batches that are on disk, until they are given. Outlives the actor: a failure behind the write neither
 * writes a batch again nor leaves it unanswered. A batch is
 *
 * - absent: not written; leaves to written when it is on disk, to given
 * - written: its answer is not known; leaves to due, with its answer
 * - due: leaves to given when its answer is in the send buffer
 * - given
 */
export type AnswersDue = WeakMap<Slot, Committed | 'written' | 'given'>

interface JournalActorDeps {
  readonly journal: Pick<Journal, 'append' | 'nextNumber' | 'keyed' | 'release'>
  readonly progress: Pick<SharedProgress, 'applied' | 'released' | 'setCommitted'>
  readonly quota: Quota
  readonly keys: Keys<PendingCommit>
  /** Tells storage that frames were committed. */
  announce(): void
  readonly replies: Receiver<Committed>
  readonly clock: Pick<Clock, 'elapsed' | 'setTimer'>
  readonly answers: AnswersDue
  storageUp(): boolean
  /** Called once when the disk begins to refuse. */
  diskRefused(error: CodedError): void
  /** Called once when the disk accepts writes again. */
  diskRecovered(): void
  /** Called after each group. `ms`: writing and syncing it. */
  appended(ms: number, result: 'written' | 'failed'): void
}

/** A disk that refused is not tried again before. */
const RETRY_MS = 500
/** Time between two releases of segments while nothing is committed. */
const RELEASE_MS = 1_000
/** Each lookup finds at least one key more that another replica has used. */
const MAX_LOOKUPS = 8

/**
 * The only writer of the journal. All commits of an event-loop turn are one group: one write and one fdatasync (group
 * commit), or one transaction where replicas share the journal. Then they are answered, and storage is told. Commits
 * with idempotency keys wait until their keys are looked up.
 */
export function journalActor(deps: JournalActorDeps): Actor<JournalMail> {
  const { journal, progress, quota, keys, announce, clock, answers } = deps
  const replies = new SendBuffer(deps.replies)
  const disk = createDiskState({ refused: deps.diskRefused, recovered: deps.diskRecovered })
  let refusing: { readonly until: number; readonly error: CodedError } | undefined
  let timer: Timer | undefined

  function receive(batch: readonly JournalMail[], slots: readonly Slot[]): void {
    const commits: PendingCommit[] = []
    batch.forEach((mail, at) => {
      const slot = slots[at] as Slot
      if (mail.kind !== 'commit') return handle(mail, slot)
      const pending = { front: mail.front, batch: mail.batch, frame: mail.frame, slot }
      if (answers.get(slot) === undefined) commits.push(pending)
      else conclude(pending)
    })
    planKeyed(commits.filter(({ frame }) => isKeyed(frame)))
    const lookedUp = keys.takeLookedUp()
    try {
      commitAll(
        commits.filter(({ frame }) => !isKeyed(frame)),
        lookedUp,
      )
    } catch (error) {
      // The cell receives the mail of this batch again. These came with an earlier one.
      for (const each of lookedUp) conclude(each.commit)
      throw error
    }
    keys.forget(progress.applied)
    journal.release(progress.released)
  }

  function handle(mail: Exclude<JournalMail, Commit>, slot: Slot): void {
    slot.free()
    switch (mail.kind) {
      case 'found':
        return refuse(keys.found(mail))
      case 'peer':
        return mail.up ? announce() : refuse(keys.giveBack())
      default:
        return mail satisfies never
    }
  }

  function planKeyed(commits: readonly PendingCommit[]): void {
    if (deps.storageUp()) keys.add(commits)
    else refuse(commits)
    refuse(keys.ask())
  }

  /** Looks keys up again that another replica has used since. */
  function commitAll(
    plain: readonly PendingCommit[],
    lookedUp: readonly LookedUp<PendingCommit>[],
    tries = MAX_LOOKUPS,
  ): void {
    const group = planGroup(plain, lookedUp)
    if (group.plans.length === 0) return
    try {
      commit(group)
    } catch (error) {
      if (!(error instanceof KeysTaken)) throw error
      const keyed = lookedUp.map((each) => each.commit)
      if (tries > 1) {
        keys.add(keyed)
        refuse(keys.ask())
      } else refuse(keyed)
      commitAll(plain, keys.takeLookedUp(), tries - 1)
    }
  }

  function planGroup(
    plain: readonly PendingCommit[],
    lookedUp: readonly LookedUp<PendingCommit>[],
  ): GroupPlan<PendingCommit> {
    const group = new GroupPlan<PendingCommit>(quota, keys)
    quota.begin(journal.nextNumber - 1)
    for (const each of plain) group.add(each, NONE)
    for (const { commit, known } of lookedUp) group.add(commit, known)
    return group
  }

  function commit(group: GroupPlan<PendingCommit>): void {
    const { frames } = group
    if (frames.length === 0) return answer(group, group.committed())
    disk.track(
      () => {
        const ms = append(frames)
        for (const { commit } of group.plans) answers.set(commit.slot, 'written')
        progress.setCommitted(journal.nextNumber - 1, journal.keyed)
        answer(group, group.committed())
        announce()
        deps.appended(ms, 'written')
      },
      ({ code }) => answer(group, group.refused(code)),
    )
  }

  /** Returns the milliseconds that it took. */
  function append(frames: readonly Uint8Array<ArrayBuffer>[]): number {
    const since = clock.elapsed()
    if (refusing !== undefined && since < refusing.until) throw refusing.error
    try {
      journal.append(frames)
      refusing = undefined
      return clock.elapsed() - since
    } catch (error) {
      if (error instanceof KeysTaken) throw error
      if (error instanceof CodedError) refusing = { until: clock.elapsed() + RETRY_MS, error }
      deps.appended(clock.elapsed() - since, 'failed')
      throw error
    }
  }

  function answer({ plans }: GroupPlan<PendingCommit>, committed: readonly Committed[]): void {
    const slotAt = (at: number) => (plans[at] as (typeof plans)[number]).commit.slot
    committed.forEach((each, at) => answers.get(slotAt(at)) && answers.set(slotAt(at), each))
    committed.forEach((each, at) => tell(each, slotAt(at)))
  }

  function tell(reply: Committed, slot: Slot): void {
    replies.tell(reply, () => slot.free())
    answers.set(slot, 'given')
  }

  /** Gives a batch that was received before the answer that it has, if it was not given. */
  function conclude(commit: PendingCommit): void {
    const due = answers.get(commit.slot)
    if (due !== 'given') tell(typeof due === 'object' ? due : refusal(commit, 'internal'), commit.slot)
  }

  function refuse(commits: readonly PendingCommit[]): void {
    for (const each of commits) tell(refusal(each, 'storage_down'), each.slot)
  }

  function releaseLater(): void {
    timer = clock.setTimer(RELEASE_MS, () => {
      journal.release(progress.released)
      releaseLater()
    })
  }

  releaseLater()
  return {
    receive,
    deadLetter(mail) {
      if (mail.kind === 'commit') replies.tell(refusal(mail, 'internal'), () => {})
    },
    close() {
      timer?.cancel()
    },
  }
}

const isKeyed = (frame: Uint8Array) => readFrameHeader(frame)?.keyed === true
const NONE: ReadonlyMap<string, string> = new Map()
