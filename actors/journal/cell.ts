import type { Journal } from '../../src/journal/contract.ts'
import type { Link } from '../../src/kernel/link.ts'
import type { Ref } from '../../src/kernel/ref.ts'
import type { Receiver } from '../../src/kernel/send-buffer.ts'
import { shrinkHeap } from '../../src/kernel/shrink-heap.ts'
import type { ThreadBody, ThreadContext } from '../../src/kernel/thread.ts'
import { COMMIT_WINDOW, type Committed } from '../messages/ingest-journal.ts'
import { APPENDED_WINDOW, type Appended, LOOKUP_WINDOW } from '../messages/journal-storage.ts'
import type { JournalMail } from '../messages/mailboxes.ts'
import { answerFrom } from '../messages/query.ts'
import type { JournalBoot } from '../wiring/boot.ts'
import type { ThreadDeps } from '../wiring/settings.ts'
import { type AnswersDue, journalActor, type PendingCommit } from './journal.ts'
import type { Keys } from './keys.ts'
import { journalAnswers } from './queries.ts'
import { Quota } from './quota.ts'

interface Plan {
  readonly journal: Journal
  readonly keys: Keys<PendingCommit>
  /** Tells storage that frames were committed. */
  announce(): void
  /** Storage can be asked for keys, where they are with it. */
  storageUp(): boolean
  /** Logged when the journal begins to refuse frames, and when it takes them again. */
  readonly refused: string
  readonly recovered: string
  close(): void | Promise<void>
}

/** Returns the tells to the storage of this process that frames were committed. */
export function announcements({ link }: Pick<ThreadContext, 'link'>): () => void {
  const storage: Ref<Appended> = link('store').outlet('storage', APPENDED_WINDOW)
  return createAnnounceAppended(storage)
}

/** Spawns the actor over an open journal, which outlives its restarts and is closed with the thread. */
export function journalBody(boot: JournalBoot, { link }: ThreadContext, deps: ThreadDeps, plan: Plan): ThreadBody {
  const { spawn, clock, log, meters, progress } = deps
  const { journal, keys, announce, storageUp, refused, recovered } = plan
  const store = link('store')
  const fronts = boot.fronts.map(link)
  const replies = commitReplies(fronts)
  const quota = new Quota(progress, boot.quota)
  const answersDue: AnswersDue = new WeakMap()
  let builds = 0
  const { cell } = spawn<JournalMail>({
    name: 'journal',
    places: fronts.length * 2 * COMMIT_WINDOW + LOOKUP_WINDOW,
    batch: 4_096,
    slots: 'held',
    from: [...fronts, store],
    watch: [store],
    build() {
      // An actor that failed may have written frames without announcing them.
      if (builds++ > 0) announce()
      return journalActor({
        journal,
        progress,
        quota,
        keys,
        announce,
        replies,
        clock,
        answers: answersDue,
        storageUp,
        diskRefused: ({ message }) => log.error({ error: message }, refused),
        diskRecovered: () => log.warn({}, recovered),
        appended(ms, result) {
          meters.journal.appendMs.record(ms)
          if (result === 'failed') meters.journal.failedAppends.add()
        },
      })
    },
  })
  for (const front of fronts) front.inlet('keyed', cell.mailbox)
  const answers = journalAnswers({ journal, progress, quota, log })
  shrinkHeap()
  return {
    cells: [cell],
    ask: (_actor, query) => answerFrom(answers, query),
    async stop() {
      await cell.idle()
      await cell.close()
      await plan.close()
    },
  }
}

/**
 * Returns `announce`, which tells storage that frames were committed: at once, or, while storage has not looked since the
 * last time, as soon as it has.
 */
export function createAnnounceAppended(storage: Pick<Ref<Appended>, 'tell' | 'whenRoom'>): () => void {
  let waiting = false
  return function announce(): void {
    if (waiting || storage.tell({ kind: 'appended' })) return
    waiting = true
    storage.whenRoom(() => {
      waiting = false
      announce()
    })
  }
}

/**
 * Replies to the ingest actors of all fronts, which a `Committed` names by index. Replies to a front that is down are
 * dropped: its clients are disconnected.
 */
function commitReplies(fronts: readonly Link[]): Receiver<Committed> {
  const replies = fronts.map((link) => ({ link, ref: link.outlet<Committed>('ingest', COMMIT_WINDOW) }))
  const [only] = replies
  return only && replies.length === 1 ? only.ref : toSeveralFronts(replies)
}

interface FrontReply {
  readonly link: Link
  readonly ref: Ref<Committed>
}

/** One ref for several links: it has room while all links that are up have some. */
function toSeveralFronts(replies: readonly FrontReply[]): Receiver<Committed> {
  let waiting: (() => void)[] = []
  const up = () => replies.filter(({ link }) => link.up)
  const room = () => Math.min(COMMIT_WINDOW, ...up().map(({ ref }) => ref.room))
  const resumeWhenRoom = () => {
    const full = up().find(({ ref }) => ref.room === 0)
    if (full) return full.ref.whenRoom(resumeWhenRoom)
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }
  for (const { link } of replies) link.watch((isUp) => isUp || resumeWhenRoom())
  return {
    tell(committed) {
      const reply = replies[committed.front]
      return !reply?.link.up || reply.ref.tell(committed)
    },
    get room() {
      return room()
    },
    whenRoom(resume) {
      waiting.push(resume)
      resumeWhenRoom()
    },
    whenIdle(resume) {
      const busy = replies.find(({ ref }) => ref.outstanding > 0)
      if (busy) busy.ref.whenIdle(() => this.whenIdle(resume))
      else resume()
    },
  }
}
