import type { TableJournal } from '../../../src/journal/postgres/journal.ts'
import type { SharedProgress } from '../../../src/journal/progress.ts'
import type { Clock, Timer } from '../../../src/kernel/clock.ts'
import type { Upkeep } from './upkeep.ts'
import { CHANNEL, type WatchConnection } from './watch-connection.ts'

interface WatchDeps {
  /** `notified`: other replicas have appended. */
  connect(events: { notified(): void }): Promise<WatchConnection>
  readonly progress: Pick<
    SharedProgress,
    'applied' | 'backlog' | 'committed' | 'storeIsOpen' | 'setCommitted' | 'setLeaderProgress'
  >
  readonly journal: Pick<TableJournal, 'nextNumber' | 'keyed' | 'observe'>
  readonly upkeep: Upkeep
  /** Incidents of other replicas were committed. */
  announce(): void
  readonly clock: Pick<Clock, 'setTimer' | 'elapsed'>
  /** Called once when the database cannot be asked, and once when it answers again. */
  failed(error: unknown): void
  recovered(): void
}

const POLL_MS = 250
/** While more is deleted from the journal than one step takes. */
const MORE_MS = 10
const RECONNECT_MS = 500
/** Least time between two notifications of this process: each takes a lock over the whole server. */
const NOTIFY_MS = 10

const POLL = `
SELECT head.next, head.keyed, progress.applied, progress.backlog FROM journal_head AS head, journal_progress AS progress`
const NOTHING = { applied: -1, backlog: -1 }
/** A former leader that writes late sets nothing back. */
const PUBLISH = 'UPDATE journal_progress SET applied = $1, backlog = $2 WHERE applied <= $1'

/**
 * Exchanges progress with the other replicas every 250 ms. A follower learns what is applied and how many dispatches are
 * pending; the leader publishes both. So what a replica knows of the others is up to half a second old, and the quota may
 * be exceeded by what they take in that time. The leader listens: when another replica has appended, it reads, and does
 * no more.
 *
 * - disconnected: leaves to waiting with a connection; tries again every 500 ms
 * - waiting: leaves to polling with a timer or a notification, to disconnected when the connection fails
 * - polling: leaves to waiting, or to polling again when a notification came meanwhile
 */
export function startWatch(deps: WatchDeps) {
  const { clock, progress, journal, upkeep, announce } = deps
  let connection: WatchConnection | undefined
  let timer: Timer | undefined
  let notifyTimer: Timer | undefined
  let notifiedAt = -Infinity
  let state: 'idle' | 'polling' | 'poll again' = 'idle'
  let isClosed = false
  let isFailing = false
  let published = NOTHING
  /** Monotonic milliseconds at which a poll publishes and tidies up again. */
  let exchangeAt = -Infinity

  async function poll(): Promise<void> {
    if (state !== 'idle') {
      state = 'poll again'
      return
    }
    timer?.cancel()
    state = 'polling'
    try {
      connection ??= await deps.connect({ notified })
      if (isClosed) return connection.close()
      await exchange(connection)
      if (isFailing) deps.recovered()
      isFailing = false
    } catch (error) {
      exchangeAt = clock.elapsed() + RECONNECT_MS
      connection?.close()
      connection = undefined
      // A crash of the database may undo the last of what was published.
      published = NOTHING
      if (!isFailing && !isClosed) deps.failed(error)
      isFailing = true
    }
    const again = (state as string) === 'poll again' && !isFailing
    state = 'idle'
    if (!isClosed) timer = clock.setTimer(again ? 0 : Math.max(0, exchangeAt - clock.elapsed()), () => void poll())
  }

  async function exchange(to: WatchConnection): Promise<void> {
    const isDue = clock.elapsed() >= exchangeAt
    if (isDue && progress.storeIsOpen) {
      await to.listen()
      await publish(to)
    }
    await read(to)
    if (!isDue) return
    const hasMore = await upkeep.run(to, progress.storeIsOpen)
    exchangeAt = clock.elapsed() + (hasMore ? MORE_MS : POLL_MS)
  }

  async function publish(to: WatchConnection): Promise<void> {
    // In this order: the backlog is of what is applied, or of more.
    const { applied } = progress
    const { backlog } = progress
    if (applied === published.applied && backlog === published.backlog) return
    await to.query(PUBLISH, [applied, backlog])
    published = { applied, backlog }
  }

  async function read(from: WatchConnection): Promise<void> {
    const before = journal.nextNumber
    const [row] = (await from.query(POLL)).rows
    if (row === undefined) throw new Error('the table journal_head or journal_progress is empty')
    const [next, keyed, applied, backlog] = row as [number, number, number, number]
    progress.setLeaderProgress({ applied, backlog })
    journal.observe({ next, keyed }, before)
    const known = progress.committed
    const committed = journal.nextNumber - 1
    if (committed === known) return
    progress.setCommitted(committed, journal.keyed)
    if (committed > known) announce()
  }

  /** A former leader listens on. A follower applies nothing, so it need not hurry. */
  function notified(): void {
    if (progress.storeIsOpen) void poll()
  }

  function notify(): void {
    notifyTimer = undefined
    notifiedAt = clock.elapsed()
    // Lost ones are made up for by the poll.
    connection?.query(`NOTIFY ${CHANNEL}`).catch(() => {})
  }

  void poll()
  return {
    /** This process has appended. The replica that leads is told soon, when it is another. */
    appended(): void {
      if (progress.storeIsOpen || notifyTimer !== undefined) return
      notifyTimer = clock.setTimer(Math.max(0, notifiedAt + NOTIFY_MS - clock.elapsed()), notify)
    },
    close(): void {
      isClosed = true
      timer?.cancel()
      notifyTimer?.cancel()
      connection?.close()
    },
  }
}
