import type { Dispatch, Draft } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { NoticeSubject } from '../../src/domain/notice.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import { type Clock, createJumpDetector, type Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { type Receiver, SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Applied } from '../../src/store/ports/journal.ts'
import type { OncallChange } from '../../src/store/ports/oncall.ts'
import type { Store } from '../../src/store/store.ts'
import type { Committed } from '../messages/ingest-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import type { PageDue } from '../messages/storage-pager.ts'
import type { Deliver } from '../messages/storage-send.ts'
import { createApplyRate } from './apply-rate.ts'
import { appendAll } from './commit-results.ts'
import { InFlightWindow } from './in-flight-window.ts'
import { createMaintenance, type MaintenanceTask } from './maintenance.ts'
import { createIdleTasks, retryQuarantinedTask } from './maintenance-tasks.ts'
import { packContents } from './pack-contents.ts'
import { createPruneSchedule } from './pruning.ts'
import { deliveryEvents, incidentEvents, oncallEvents, type SettledBatch } from './tail-events.ts'
import { incidentsOf, NOTHING_NEW, type PendingCommit, refusal, sortMail, type TurnWork } from './turn.ts'
import { pageWithoutAttempt, type ResultsToWrite, type UnwrittenResults, withoutAttempt } from './unwritten-results.ts'

interface StorageDeps {
  readonly store: Store
  readonly ingest: Receiver<Committed>
  /**
   * One for each enabled channel. All lead over one link, because the dispatches of a turn share one transferred
   * buffer.
   */
  readonly senders: ReadonlyMap<ChannelName, Ref<Deliver>>
  readonly pager: Ref<PageDue>
  /** Bound of the payloads that one sender holds, in bytes. */
  readonly maxInFlightBytes: number
  readonly unwritten: UnwrittenResults
  /** Maintenance tasks that outlive the actor; it drives them together with its own. */
  readonly tasks: readonly MaintenanceTask[]
  readonly clock: Clock
  readonly publisher: EventPublisher
  /** False while the channel is paused or the senders are being drained: due deliveries stay pending. */
  mayDispatch(to: ChannelName | 'oncall'): boolean
  /** Called once when the disk begins to refuse. Results of sends are kept and written when it recovers. */
  diskRefused(error: CodedError): void
  /** Called once when the disk accepts writes again. */
  diskRecovered(): void
  /** Called once when a notice is due and no channel is known to work that could carry it. */
  noticesStuck(about: NoticeSubject): void
}

const RETRY_MS = 500
/** Rows that one idle step of retention deletes at most. */
const IDLE_PRUNE_ROWS = 256
/** Wait for more mail before unapplied incidents are applied by a turn without mail. */
const APPLY_AFTER_MS = 5

/**
 * The only writer of the database. All mail of an event-loop turn is one transaction with one fsync (group commit);
 * then replies, dispatches and pages go out, and events are published.
 */
export function storageActor(deps: StorageDeps): Actor<StorageMail> {
  const { store, senders, pager, unwritten, clock, publisher } = deps
  const inFlight = new InFlightWindow(deps.maxInFlightBytes, (channel) =>
    deps.mayDispatch(channel) ? (senders.get(channel)?.room ?? 0) : 0,
  )
  const replies = new SendBuffer(deps.ingest)
  let disk: 'good' | 'refusing' = 'good'
  const pruneSchedule = createPruneSchedule(store.maintenance)
  const applyRate = createApplyRate()
  const clockJumpMs = createJumpDetector(clock)
  /** Milliseconds by which the wall clock was set since the timers were last shifted. */
  let jumpMs = 0
  let stuck: readonly NoticeSubject[] = []
  let wake: Timer | undefined
  const idle = createIdleTasks({
    clock,
    prune: () => store.write(() => store.maintenance.prune(IDLE_PRUNE_ROWS)),
    checkpoint: store.maintenance.checkpoint,
    guarded: (work) => withDiskErrors(work, () => {}),
  })
  const retryQuarantined = retryQuarantinedTask({
    clock,
    retryQuarantined: store.maintenance.retryQuarantined,
    mayRetry: () => disk === 'good' && store.journal.unapplied() === 0,
    requeued: scheduleWake,
  })
  const maintenance = createMaintenance([retryQuarantined, ...idle.tasks, ...deps.tasks], clock)

  function receive(batch: readonly StorageMail[], slots: readonly Slot[]): void {
    const turnWork = sortMail(batch, slots)
    run(turnWork)
    for (const slot of turnWork.freeAfter) slot.free()
  }

  function run(turnWork: TurnWork): void {
    const results = unwritten.merge(turnWork)
    jumpMs += clockJumpMs()
    if (results.sendersLost) inFlight.clear()
    for (const settlement of results.settlements) inFlight.release(settlement)
    withDiskErrors(
      () => {
        const { committed, settled, dispatches, pages, oncall, drafts } = store.write(() =>
          write(turnWork.commits, results),
        )
        unwritten.clear()
        jumpMs = 0
        reply(turnWork, committed)
        dispatchAll(dispatches)
        for (const page of pages) pager.tell({ kind: 'page', page })
        if (publisher.hasSubscribers) publish(drafts, { settlements: results.settlements, settled, oncall })
      },
      (error) => {
        unwritten.retain(results)
        pruneSchedule.rollback()
        reply(
          turnWork,
          turnWork.commits.map((commit) => refusal(commit, error.code)),
        )
      },
    )
    scheduleWake()
  }

  /** Runs `work` and tracks the state of the disk; rethrows all other errors. Reports each change of state once. */
  function withDiskErrors(work: () => void, onRefused: (error: CodedError) => void): void {
    const before = disk
    try {
      work()
      disk = 'good'
      if (before === 'refusing') deps.diskRecovered()
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      disk = 'refusing'
      onRefused(error)
      if (before === 'good') deps.diskRefused(error)
    }
  }

  function reply({ commits }: TurnWork, answers: readonly Committed[]): void {
    answers.forEach((answer, at) => replies.tell(answer, () => commits[at]?.slot.free()))
  }

  /** Settlements come first: a delivery that was settled before its sender died is not reclaimed. */
  function write(commits: readonly PendingCommit[], results: ResultsToWrite) {
    inFlight.beginTurn()
    if (jumpMs !== 0) store.oncall.shift(jumpMs)
    const settled = results.settlements.map((settlement) => store.outbox.settle(settlement))
    const pageSettlements = results.pageSettlements.flatMap(
      (pageSettlements) => store.oncall.settle(pageSettlements) ?? [],
    )
    if (results.sendersLost) reclaim()
    const committed = commits.map(append)
    const applied = apply(incidentsOf(commits))
    const dispatches = [...applied.dispatches]
    claimNotices(dispatches)
    claimDue(dispatches)
    const pages = store.oncall.claim(pagerRoom())
    pruneSchedule.afterCommit(applied.drafts.length)
    return {
      committed,
      settled,
      dispatches,
      pages,
      oncall: [...pageSettlements, ...applied.oncall],
      drafts: applied.drafts,
    }
  }

  function apply(arrived: number): Applied {
    const incidents = applyRate(arrived, store.journal.unapplied(), clock.elapsed())
    return store.journal.apply(incidents, (channel, bytes) => inFlight.reserve(channel, bytes))
  }

  function reclaim(): void {
    store.outbox.reclaim([...senders.keys()])
    store.oncall.reclaim()
  }

  function append({ front, batch, submissions }: PendingCommit): Committed {
    const results = appendAll(store.journal, submissions)
    return results === undefined ? { kind: 'committed', front, batch } : { kind: 'committed', front, batch, results }
  }

  /** Publishes events of what is on disk. */
  function publish(
    drafts: readonly Draft[],
    settledBatch: SettledBatch & { readonly oncall: readonly OncallChange[] },
  ): void {
    const at = new Date(clock.now()).toISOString()
    const pages = oncallEvents(settledBatch.oncall, store.oncall, at)
    for (const event of [...incidentEvents(drafts, at), ...deliveryEvents(settledBatch, at), ...pages])
      publisher.publish(event)
  }

  function claimNotices(dispatches: Dispatch[]): void {
    const claimed = store.outbox.claimNotices((channel) => inFlight.reserve(channel, 0))
    dispatches.push(...claimed.dispatches)
    for (const about of claimed.stuck) if (!stuck.includes(about)) deps.noticesStuck(about)
    stuck = claimed.stuck
  }

  function claimDue(dispatches: Dispatch[]): void {
    const now = clock.now()
    for (const channel of senders.keys()) {
      const dueAt = store.outbox.nextDueAt(channel)
      if (dueAt === undefined || dueAt > now) continue
      const remaining = inFlight.remaining(channel)
      if (remaining.slots > 0) dispatches.push(...store.outbox.claim(channel, remaining))
    }
  }

  function dispatchAll(dispatches: readonly Dispatch[]): void {
    if (dispatches.length === 0) return
    const { buffer, packed } = packContents(dispatches)
    packed.forEach((dispatch, at) => {
      inFlight.add(dispatch)
      senders.get(dispatch.channel)?.tell({ kind: 'deliver', dispatch }, at === 0 ? [buffer] : undefined)
    })
  }

  /**
   * Sets the timer of the next turn without mail, and starts the idle wait again. A channel whose sender has no free
   * slot needs no timer: the settlement that frees one begins a turn.
   */
  function scheduleWake(): void {
    wake?.cancel()
    const dueAt = earliestDue()
    const soonestMs = disk === 'good' ? 1 : RETRY_MS
    wake =
      dueAt === undefined ? undefined : clock.setTimer(Math.max(soonestMs, dueAt - clock.now()), () => run(NOTHING_NEW))
    idle.postpone()
    maintenance.schedule()
  }

  function earliestDue(): number | undefined {
    const noticeAt = store.outbox.nextNoticeAt()
    const due = [
      ...(unwritten.isEmpty ? [] : [clock.now()]),
      ...(store.journal.unapplied() === 0 ? [] : [clock.now() + APPLY_AFTER_MS]),
      ...(noticeAt === undefined ? [] : [noticeAt]),
    ]
    for (const channel of senders.keys()) {
      const dueAt = inFlight.remaining(channel).slots > 0 ? store.outbox.nextDueAt(channel) : undefined
      if (dueAt !== undefined) due.push(dueAt)
    }
    const pageAt = pagerRoom() > 0 ? store.oncall.nextDueAt() : undefined
    if (pageAt !== undefined) due.push(pageAt)
    return due.length === 0 ? undefined : Math.min(...due)
  }

  function pagerRoom(): number {
    return deps.mayDispatch('oncall') ? pager.room : 0
  }

  // A rebuilt actor may have unwritten results or due deliveries, and no mail to come.
  scheduleWake()
  return {
    receive,
    deadLetter(mail) {
      switch (mail.kind) {
        case 'commit':
          return replies.tell(refusal(mail, 'internal'), () => {})
        case 'settle':
          return unwritten.retain(
            unwritten.merge({ ...NOTHING_NEW, settlements: [withoutAttempt(mail.settlement, clock.now())] }),
          )
        case 'told':
          return unwritten.retain(
            unwritten.merge({ ...NOTHING_NEW, pageSettlements: [pageWithoutAttempt(mail.settlement, clock.now())] }),
          )
        case 'peer':
          return unwritten.retain(unwritten.merge({ ...NOTHING_NEW, sendersLost: !mail.up }))
        default:
          mail satisfies never
      }
    },
    close() {
      wake?.cancel()
      maintenance.close()
    },
  }
}
