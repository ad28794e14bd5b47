import type { Draft } from '../../src/domain/commit.ts'
import type { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher } from '../../src/domain/event.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import { type Clock, createJumpDetector, type Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import { type Receiver, SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Applied } from '../../src/store/ports/journal.ts'
import type { OncallChange } from '../../src/store/ports/oncall.ts'
import type { Store } from '../../src/store/store.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { Committed } from '../messages/ingest-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { createApplyRate } from './apply-rate.ts'
import { appendAll } from './commit-results.ts'
import { createDiskState } from './disk-state.ts'
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts'
import { createMaintenance, type MaintenanceTask } from './maintenance.ts'
import { createIdleTasks, retryQuarantinedTask } from './maintenance-tasks.ts'
import { createPruneSchedule } from './pruning.ts'
import { deliveryEvents, incidentEvents, oncallChanges, oncallEvents, type SettledBatch } from './tail-events.ts'
import {
  incidentsOf,
  NOTHING_NEW,
  type PendingCommit,
  refusal,
  resultsOfDeadLetter,
  sortMail,
  type TurnWork,
} from './turn-work.ts'
import type { ResultsToWrite, UnwrittenResults } from './unwritten-results.ts'

interface StorageDeps extends DispatcherDeps {
  readonly clock: Clock
  readonly store: Store
  readonly ingest: Receiver<Committed>
  readonly unwritten: UnwrittenResults
  /** Maintenance tasks that outlive the actor; it drives them together with its own. */
  readonly tasks: readonly MaintenanceTask[]
  readonly publisher: EventPublisher
  /** Called once when the disk begins to refuse. Results of sends are kept and written when it recovers. */
  diskRefused(error: CodedError): void
  /** Called once when the disk accepts writes again. */
  diskRecovered(): void
}

const RETRY_MS = 500
/** Rows that one idle step of retention deletes at most. */
const IDLE_PRUNE_ROWS = 256
/** Wait for more mail before unapplied incidents are applied by a turn without mail. */
const APPLY_AFTER_MS = 5

/**
 * The only writer of the database. All mail of an event-loop turn is one transaction with one fsync (group commit);
 * then replies and dispatches go out, and events are published.
 */
export function storageActor(deps: StorageDeps): Actor<StorageMail> {
  const { store, senders, unwritten, clock, publisher } = deps
  const dispatcher = new Dispatcher(store.outbox, deps)
  const replies = new SendBuffer(deps.ingest)
  const disk = createDiskState({ refused: deps.diskRefused, recovered: deps.diskRecovered })
  const pruneSchedule = createPruneSchedule(store.maintenance)
  const applyRate = createApplyRate()
  const clockJumpMs = createJumpDetector(clock)
  /** Milliseconds by which the wall clock was set since the timers were last shifted. */
  let jumpMs = 0
  let wake: Timer | undefined
  const idle = createIdleTasks({
    clock,
    prune: () => store.write(() => store.maintenance.prune(IDLE_PRUNE_ROWS)),
    checkpoint: store.maintenance.checkpoint,
    guarded: (work) => disk.track(work, () => {}),
  })
  const retryQuarantined = retryQuarantinedTask({
    clock,
    retryQuarantined: store.maintenance.retryQuarantined,
    mayRetry: () => disk.isGood && store.journal.unapplied() === 0,
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
    dispatcher.release(results.settlements, results.sendersLost)
    disk.track(
      () => {
        const { committed, settled, dispatches, oncall, drafts } = store.write(() => write(turnWork.commits, results))
        unwritten.clear()
        jumpMs = 0
        reply(turnWork, committed)
        dispatcher.send(dispatches)
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

  function reply({ commits }: TurnWork, answers: readonly Committed[]): void {
    answers.forEach((answer, at) => replies.tell(answer, () => commits[at]?.slot.free()))
  }

  /** Settlements come first: a dispatch that was settled before its sender died is not reclaimed. */
  function write(commits: readonly PendingCommit[], results: ResultsToWrite) {
    dispatcher.beginTurn()
    if (jumpMs !== 0) store.oncall.shift(jumpMs)
    const settled = results.settlements.map((settlement) => store.outbox.settle(settlement))
    if (results.sendersLost) store.outbox.reclaim([...senders.keys()])
    const committed = commits.map(append)
    const applied = apply(incidentsOf(commits))
    const dispatches = [...applied.dispatches, ...dispatcher.claim()]
    pruneSchedule.afterCommit(applied.drafts.length)
    const oncall = [...oncallChanges(settled), ...applied.oncall]
    return { committed, settled, dispatches, oncall, drafts: applied.drafts }
  }

  function apply(arrived: number): Applied {
    const incidents = applyRate(arrived, store.journal.unapplied(), clock.elapsed())
    return store.journal.apply(incidents, (channel, bytes) => dispatcher.reserve(channel, bytes))
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
    const at = isoTime(clock.now())
    const pages = oncallEvents(settledBatch.oncall, store.oncall, at)
    for (const event of [...incidentEvents(drafts, at), ...deliveryEvents(settledBatch, at), ...pages])
      publisher.publish(event)
  }

  /** Sets the timer of the next turn without mail, and starts the idle wait again. */
  function scheduleWake(): void {
    wake?.cancel()
    const dueAt = earliestDue()
    const soonestMs = disk.isGood ? 1 : RETRY_MS
    const runAlone = () => run(NOTHING_NEW)
    wake = dueAt === Infinity ? undefined : clock.setTimer(Math.max(soonestMs, dueAt - clock.now()), runAlone)
    idle.postpone()
    maintenance.schedule()
  }

  function earliestDue(): number {
    return Math.min(
      unwritten.isEmpty ? Infinity : clock.now(),
      store.journal.unapplied() === 0 ? Infinity : clock.now() + APPLY_AFTER_MS,
      dispatcher.nextDueAt(),
    )
  }

  // A rebuilt actor may have unwritten results or due deliveries, and no mail to come.
  scheduleWake()
  return {
    receive,
    deadLetter(mail) {
      if (mail.kind === 'commit') return replies.tell(refusal(mail, 'internal'), () => {})
      unwritten.retain(unwritten.merge(resultsOfDeadLetter(mail, clock.now())))
    },
    close() {
      wake?.cancel()
      maintenance.close()
    },
  }
}
