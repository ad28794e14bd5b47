import type { Draft, Handout } from '../../src/domain/commit.ts'
import type { ChannelName } from '../../src/domain/delivery.ts'
import { CodedError } from '../../src/domain/errors.ts'
import type { Feed } from '../../src/domain/event.ts'
import type { Subject } from '../../src/domain/notice.ts'
import type { Actor } from '../../src/kernel/cell.ts'
import { type Clock, jumpsOf, type Timer } from '../../src/kernel/clock.ts'
import type { Place } from '../../src/kernel/mailbox.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import { Outbox } from '../../src/kernel/send-buffer.ts'
import type { Filed, OncallChange } from '../../src/store/contract.ts'
import type { Store } from '../../src/store/store.ts'
import type { Committed } from '../messages/ingest-storage.ts'
import type { StorageMail } from '../messages/mailboxes.ts'
import type { PageDue } from '../messages/storage-pager.ts'
import type { Deliver } from '../messages/storage-send.ts'
import { admitAll } from './append-all.ts'
import { filingPace } from './apply-rate.ts'
import { HandedOut, packContents } from './in-flight.ts'
import { pruning } from './pruning.ts'
import { type Concluded, deliveryEvents, incidentEvents, oncallEvents } from './tail-events.ts'
import { type Commits, incidentsOf, NOTHING_NEW, refusal, sorted, type Turn } from './turn.ts'
import { type Debt, type Owed, unpaged, untold } from './unwritten.ts'

export interface StorageTools {
  readonly store: Store
  readonly ingest: Ref<Committed>
  /** One for each enabled channel; all beyond one link, since hand-outs of a turn share one transferred buffer. */
  readonly senders: ReadonlyMap<ChannelName, Ref<Deliver>>
  readonly pager: Ref<PageDue>
  /** Most bytes of payload that one sender may hold. */
  readonly maxHandedBytes: number
  readonly owed: Owed
  readonly clock: Clock
  readonly feed: Feed
  /** False while the channel is paused or the senders are being drained: what falls due stays pending. */
  mayHandOut(to: ChannelName | 'oncall'): boolean
  /** The disk refuses from now on; what was settled is written when it takes it. */
  refused(error: CodedError): void
  /** The disk takes writes again. */
  recovered(): void
  /** Deliveries of the channel are dead, or pages, and no channel is known to work that could carry the word; it goes when one does. */
  untold(about: Subject): void
}

const RETRY_MS = 500
const IDLE_AFTER_MS = 1_000
/** A pause in what comes. */
const FILE_AFTER_MS = 5

/** The only writer. All the mail of a turn is one transaction: one fsync, then the answers and the hand-outs it made durable. */
export function storageActor(tools: StorageTools): Actor<StorageMail> {
  const { store, senders, pager, owed, clock, feed } = tools
  const handed = new HandedOut(tools.maxHandedBytes, (channel) =>
    tools.mayHandOut(channel) ? (senders.get(channel)?.room ?? 0) : 0,
  )
  const replies = new Outbox(tools.ingest)
  let disk: 'good' | 'refusing' = 'good'
  const prune = pruning(store)
  const pace = filingPace()
  const jumps = jumpsOf(clock)
  /** By how much the wall clock was set since timers were last moved with it. */
  let jumpMs = 0
  let stuck: readonly Subject[] = []
  let wake: Timer | undefined
  let idle: Timer | undefined

  function receive(batch: readonly StorageMail[], places: readonly Place[]): void {
    const turn = sorted(batch, places)
    run(turn)
    for (const place of turn.done) place.settle()
  }

  function run(turn: Turn): void {
    const debt = owed.with(turn)
    jumpMs += jumps()
    if (debt.sendersLost) handed.clear()
    for (const settlement of debt.settlements) handed.release(settlement)
    tried(
      () => {
        const { committed, settled, handouts, pages, oncall, drafts } = store.write(() => write(turn.commits, debt))
        owed.clear()
        jumpMs = 0
        reply(turn, committed)
        handOut(handouts)
        for (const page of pages) pager.tell({ kind: 'page', page })
        if (feed.open) tell(drafts, { settlements: debt.settlements, settled, oncall })
      },
      (error) => {
        owed.keep(debt)
        prune.undone()
        reply(
          turn,
          turn.commits.map((commit) => refusal(commit, error.code)),
        )
      },
    )
    sleep()
  }

  /** Tells the disk's refusal from a fault in the program, and says once that it begins and once that it ends. */
  function tried(work: () => void, refused: (error: CodedError) => void): void {
    const before = disk
    try {
      work()
      disk = 'good'
      if (before === 'refusing') tools.recovered()
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      disk = 'refusing'
      refused(error)
      if (before === 'good') tools.refused(error)
    }
  }

  function reply({ commits }: Turn, answers: readonly Committed[]): void {
    answers.forEach((answer, at) => replies.tell(answer, () => commits[at]?.place.settle()))
  }

  /** Settlements first: what a sender could tell before it was lost is not handed out again. */
  function write(commits: readonly Commits[], debt: Debt) {
    handed.begin()
    if (jumpMs !== 0) store.oncall.shift(jumpMs)
    const settled = debt.settlements.map((settlement) => store.settle(settlement))
    const told = debt.told.flatMap((told) => store.oncall.settle(told) ?? [])
    if (debt.sendersLost) reclaim()
    const committed = commits.map(admitted)
    const filed = file(incidentsOf(commits))
    const handouts = [...filed.handouts]
    takeNotices(handouts)
    takeDue(handouts)
    const pages = store.oncall.take(pagerRoom())
    prune.after(filed.drafts.length)
    return { committed, settled, handouts, pages, oncall: [...told, ...filed.oncall], drafts: filed.drafts }
  }

  function file(came: number): Filed {
    const incidents = pace(came, store.unfiled(), clock.elapsed())
    return store.file(incidents, (channel, bytes) => handed.claim(channel, bytes))
  }

  function reclaim(): void {
    store.reclaim([...senders.keys()])
    store.oncall.reclaim()
  }

  function admitted({ batch, submissions }: Commits): Committed {
    const results = admitAll(store, submissions)
    return results === undefined ? { kind: 'committed', batch } : { kind: 'committed', batch, results }
  }

  /** Only what is on disk is told. */
  function tell(drafts: readonly Draft[], concluded: Concluded & { readonly oncall: readonly OncallChange[] }): void {
    const at = new Date(clock.now()).toISOString()
    const pages = oncallEvents(concluded.oncall, store.oncall, at)
    for (const event of [...incidentEvents(drafts, at), ...deliveryEvents(concluded, at), ...pages]) feed.publish(event)
  }

  function takeNotices(handouts: Handout[]): void {
    const taken = store.takeNotices((channel) => handed.claim(channel, 0))
    handouts.push(...taken.handouts)
    for (const about of taken.stuck) if (!stuck.includes(about)) tools.untold(about)
    stuck = taken.stuck
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
    if (disk === 'good' && store.unfiled() === 0) store.retry()
    wake?.cancel()
    idle?.cancel()
    const dueAt = earliestDue()
    const soonestMs = disk === 'good' ? 1 : RETRY_MS
    wake =
      dueAt === undefined ? undefined : clock.setTimer(Math.max(soonestMs, dueAt - clock.now()), () => run(NOTHING_NEW))
    idle = clock.setTimer(IDLE_AFTER_MS, tidy)
  }

  /** For idle moments, while there is anything to do. */
  function tidy(): void {
    tried(
      () => {
        const pruned = store.write(() => prune.some())
        if (pruned > 0) idle = clock.setTimer(0, tidy)
        else store.checkpoint()
      },
      () => {},
    )
  }

  function earliestDue(): number | undefined {
    const noticeAt = store.nextNoticeAt()
    const due = [
      ...(owed.isEmpty ? [] : [clock.now()]),
      ...(store.unfiled() === 0 ? [] : [clock.now() + FILE_AFTER_MS]),
      ...(noticeAt === undefined ? [] : [noticeAt]),
    ]
    for (const channel of senders.keys()) {
      const dueAt = handed.left(channel).places > 0 ? store.nextDueAt(channel) : undefined
      if (dueAt !== undefined) due.push(dueAt)
    }
    const pageAt = pagerRoom() > 0 ? store.oncall.nextDueAt() : undefined
    if (pageAt !== undefined) due.push(pageAt)
    return due.length === 0 ? undefined : Math.min(...due)
  }

  function pagerRoom(): number {
    return tools.mayHandOut('oncall') ? pager.room : 0
  }

  // After a failure there may be no mail to come, and yet something owed or due.
  sleep()
  return {
    receive,
    deadLetter(mail) {
      switch (mail.kind) {
        case 'commit':
          return replies.tell(refusal(mail, 'internal'), () => {})
        case 'settle':
          return owed.keep(owed.with({ ...NOTHING_NEW, settlements: [untold(mail.settlement, clock.now())] }))
        case 'told':
          return owed.keep(owed.with({ ...NOTHING_NEW, told: [unpaged(mail.told, clock.now())] }))
        case 'peer':
          return owed.keep(owed.with({ ...NOTHING_NEW, sendersLost: !mail.up }))
        default:
          mail satisfies never
      }
    },
    close() {
      wake?.cancel()
      idle?.cancel()
    },
  }
}
