import type { CodedError } from '../../src/domain/errors.ts'
import type { EventPublisher, TailEvent } from '../../src/domain/event.ts'
import type { Payload, Recognized } from '../../src/domain/incident.ts'
import type { Progress } from '../../src/journal/progress.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import { type Clock, createJumpDetector, type Timer } from '../../src/kernel/clock.ts'
import type { Slot } from '../../src/kernel/mailbox.ts'
import type { SendBuffer } from '../../src/kernel/send-buffer.ts'
import type { Applied, Quarantined } from '../../src/store/ports/journal.ts'
import type { Turn } from '../../src/store/ports/turn.ts'
import type { Store } from '../../src/store/store.ts'
import { isoTime } from '../../src/text/iso-time.ts'
import type { Found } from '../messages/journal-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import { createDiskState } from '../wiring/disk-state.ts'
import type { PublishedProgress } from './apply-progress.ts'
import { entriesOf } from './decode-frame.ts'
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts'
import { createFrameQueue, type FrameQueueDeps } from './frame-queue.ts'
import { createMaintenance, type MaintenanceTask } from './maintenance.ts'
import { createIdleTasks, retryQuarantinedTask } from './maintenance-tasks.ts'
import { createRounds } from './rounds.ts'
import { deliveryEvents, digestEvents, incidentEvents, oncallEvents, silenceEvents } from './tail-events.ts'
import { NOTHING_NEW, resultsOfDeadLetter, sortMail, type TurnWork } from './turn-work.ts'
import type { UnwrittenResults } from './unwritten-results.ts'

interface StorageDeps extends DispatcherDeps, Omit<FrameQueueDeps, 'clock' | 'unreadable'> {
  readonly store: Store
  readonly published: PublishedProgress
  readonly progress: Pick<Progress, 'committed' | 'keyed'>
  /** To the journal, which asks for keys. */
  readonly replies: Pick<SendBuffer<Found>, 'tell'>
  readonly unwritten: UnwrittenResults
  readonly clock: Clock
  /** Maintenance tasks that outlive the actor; it drives them together with its own. */
  readonly tasks: readonly MaintenanceTask[]
  readonly publisher: EventPublisher
  recognise(payload: Payload): Recognized
  /** Called once when the disk begins to refuse. Results of sends are kept and written when it recovers. */
  diskRefused(error: CodedError): void
  /** Called once when the disk accepts writes again. */
  diskRecovered(): void
  /** Called once when frames of the journal cannot be read. */
  journalUnreadable(error: CodedError): void
  /** Called for incidents that went to quarantine. */
  quarantined(row: Quarantined): void
}

const RETRY_MS = 500
/** Rows that one idle step of retention deletes at most. */
const IDLE_PRUNE_ROWS = 256
/**
 * Least time from the end of a turn to the begin of the next one. No client waits for a turn, so under load mail gathers
 * for larger transactions, which cost less for each incident, and the fronts get the processor.
 */
export const PAUSE_MS = 2

/**
 * The only writer of the database: applies what the journal has committed, and keeps the outbox. All mail of a turn is
 * one transaction; then dispatches go out, and events are published.
 */
export function storageActor(deps: StorageDeps): Actor<StorageMail> {
  const { store, published, unwritten, clock, publisher, replies } = deps
  const dispatcher = createDispatcher(store.outbox, deps)
  const frames = createFrameQueue({ ...deps, unreadable: deps.journalUnreadable })
  const rounds = createRounds(deps)
  const disk = createDiskState({ refused: deps.diskRefused, recovered: deps.diskRecovered })
  const clockJumpMs = createJumpDetector(clock)
  /** Milliseconds by which the wall clock was set since the timers were last shifted. */
  let jumpMs = 0
  let wake: Timer | undefined
  /** Slots of announcements: the journal sends no other while they are held. */
  let appended: readonly Slot[] = []
  const idle = createIdleTasks({
    clock,
    prune() {
      const rows = store.maintenance.prune(IDLE_PRUNE_ROWS)
      // A silence whose cause was deleted is due. A timer that waits is not moved: the wall clock may have been set.
      if (dueInMs() <= 0) setWake()
      return rows
    },
    checkpoint() {
      store.maintenance.checkpoint()
      published.publish()
    },
    guarded: (work) => disk.track(work, () => {}),
  })
  const retryQuarantined = retryQuarantinedTask({
    clock,
    journal: store.journal,
    recognise: deps.recognise,
    mayRetry: () => disk.isGood && published.unapplied() === 0,
    applied(applied) {
      published.publish()
      publish((at) => appliedEvents(applied, at))
      scheduleWake()
    },
  })
  const maintenance = createMaintenance([retryQuarantined, ...idle.tasks, ...deps.tasks], clock)

  function receive(batch: readonly StorageMail[], slots: readonly Slot[]): void {
    const turnWork = sortMail(batch, slots)
    appended = [...appended, ...turnWork.appended]
    if (turnWork.appended.length > 0) frames.announced()
    run(turnWork)
    for (const { mail, slot } of turnWork.lookups)
      replies.tell({ kind: 'found', lookup: mail.lookup, ids: store.journal.findKeys(mail.keys) }, () => slot.free())
    for (const slot of turnWork.freeAfter) slot.free()
  }

  function run(turnWork: TurnWork): void {
    const results = unwritten.merge(turnWork)
    jumpMs += clockJumpMs()
    dispatcher.release(results.settlements, results.sendersLost)
    const { settlements, sendersLost } = results
    const entries = nextEntries()
    disk.track(
      () => {
        const capacity = dispatcher.capacity()
        const turn = { settlements, sendersLost, clockJumpMs: jumpMs, entries, capacity }
        const result = store.turn(turn)
        const { applied, dispatches, settled, quarantined, stuck } = result
        unwritten.clear()
        jumpMs = 0
        published.publish()
        frames.applied(applied)
        dispatcher.send(dispatches)
        dispatcher.reportStuck(stuck)
        for (const row of quarantined) deps.quarantined(row)
        publish((at) => [
          ...deliveryEvents({ settlements, settled }, at),
          ...digestEvents(result.digestChanges, at),
          ...appliedEvents(result, at),
          ...silenceEvents(result.silenceEdges, at),
        ])
      },
      () => unwritten.retain(results),
    )
    published.waitingSince(frames.oldestCommitAt())
    scheduleWake()
  }

  function nextEntries(): Turn['entries'] {
    const { applied } = store.journal.progress()
    if (rounds.waitMs(applied) > 0) return []
    freeAppended()
    const skipped = skippedUpTo(applied)
    rounds.turn(applied, kept() < Infinity)
    const entries = entriesOf(frames.take(skipped), deps.recognise)
    return skipped > applied ? [{ kind: 'skipped', first: applied + 1, last: skipped }, ...entries] : entries
  }

  /** Newest unapplied incidents that someone may ever see; Infinity: all. */
  function kept(): number {
    return publisher.hasSubscribers ? Infinity : store.journal.keeps()
  }

  /** Number of the last incident that is not read, because retention would delete it at once. Keys are kept of all. */
  function skippedUpTo(applied: number): number {
    const { committed, keyed } = deps.progress
    return keyed > applied ? applied : Math.max(applied, committed - kept())
  }

  function freeAppended(): void {
    for (const slot of appended) slot.free()
    appended = []
  }

  /** `eventsAt`: at an ISO 8601 time. */
  function publish(eventsAt: (at: string) => readonly TailEvent[]): void {
    if (!publisher.hasSubscribers) return
    for (const event of eventsAt(isoTime(clock.now()))) publisher.publish(event)
  }

  const appliedEvents = ({ drafts, oncall }: Pick<Applied, 'drafts' | 'oncall'>, at: string) => [
    ...incidentEvents(drafts, at),
    ...oncallEvents(oncall, store.oncall, at),
  ]

  /** Sets the timer of the next turn without mail. */
  function setWake(): void {
    wake?.cancel()
    const afterMs = Math.max(disk.isGood ? PAUSE_MS : RETRY_MS, dueInMs())
    wake = afterMs === Infinity ? undefined : clock.setTimer(afterMs, () => run(NOTHING_NEW))
  }

  /** Sets the timer, and starts the idle wait again. */
  function scheduleWake(): void {
    setWake()
    idle.postpone()
    maintenance.schedule()
  }

  function dueInMs(): number {
    if (!unwritten.isEmpty) return 0
    const { applied } = store.journal.progress()
    // An announcement that came in a rest may be of what was applied before: its slot is to be freed all the same.
    const framesInMs = appended.length > 0 ? 0 : (frames.dueAt(applied) ?? Infinity) - clock.elapsed()
    return Math.min(
      Math.max(framesInMs, rounds.waitMs(applied)),
      Math.min(dispatcher.nextDueAt(), store.problems.nextAt()) - clock.now(),
    )
  }

  // A rebuilt actor may have unwritten results, unapplied frames or due deliveries, and no mail to come.
  scheduleWake()
  return {
    receive,
    deadLetter(mail) {
      if (mail.kind === 'lookup') replies.tell({ kind: 'found', lookup: mail.lookup, ids: undefined }, () => {})
      unwritten.retain(unwritten.merge(resultsOfDeadLetter(mail, clock.now())))
    },
    close() {
      wake?.cancel()
      maintenance.close()
      freeAppended()
    },
  }
}
