import { DatabaseSync } from 'node:sqlite'
import { setImmediate as afterPromises } from 'node:timers/promises'
import type { Destination } from '../../src/domain/delivery/delivery.ts'
import type { Dispatch, Settlement } from '../../src/domain/delivery/dispatch.ts'
import { openStatements } from '../../src/store/engine/statement.ts'
import type { StoredIncident, StoredSilence } from '../../src/store/ports/history.ts'
import type { ReadyEntry } from '../../src/store/ports/journal.ts'
import type { Capacity } from '../../src/store/ports/outbox.ts'
import { migrate } from '../../src/store/schema/migrate.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import type { StoreBoot } from '../wiring/boot.ts'
import { openSilencing } from '../wiring/open-policy.ts'
import { storeOptions } from '../wiring/store-options.ts'
import { RehearsedSender, sent } from './sender.ts'
import { SimulatedClock } from './simulated-clock.ts'

/** Incidents that were committed within this time are applied in one turn, as a busy store does. */
const TURN_MS = 10
/** Least time between two turns without incidents. */
const PAUSE_MS = 2
/** Time until the next turn after one that was due and had no effect; it doubles while what is waited for does not come. */
const IDLE_MS = { first: 1_000, most: 600_000 }
/** Time after the last incident in which timers end and messages go out. */
const REST_MS = 24 * 3_600_000
/** Each commit looks through the changed pages of a temporary database, up to a quarter of its cache: a large one is slower. */
const CACHE_KIB = 3 * 1024
const NO_FRAME = new Uint8Array(0)

/** Action of a person on an incident. */
interface Action {
  readonly at: number
  readonly act: () => void
}

/** One configuration at work on history. */
export type Run = Awaited<ReturnType<typeof openRun>>

interface Begin {
  /** Time of the clock, not after the first incident, epoch milliseconds. */
  readonly startAt: number
  /** Made by people; those of the configuration are part of it. */
  readonly silences: readonly StoredSilence[]
}

/**
 * Opens the store of the service on a database in memory, with a clock that leaps, and with senders whose providers take
 * exactly their rate.
 */
export async function openRun({ brief, briefReplies, ...boot }: StoreBoot, { startAt, silences }: Begin) {
  const clock = new SimulatedClock(startAt)
  const db = openTemporary()
  copySilences(db, silences)
  // Retention would delete what is to be compared.
  const storage = { ...boot.storage, maxIncidents: Number.MAX_SAFE_INTEGER }
  // No brief is read. Incidents that heartbeats raised are part of the history.
  const store = openStore(await storeOptions({ ...boot, storage, heartbeats: [] }, clock), db)
  if (!store.silences.isStarted() && store.silences.hasLive())
    store.silences.start({ compile: await openSilencing(), configured: [] })
  const play = new Play(boot, store, clock)
  play.endSilences(silences)
  return {
    db: openStatements(db),
    store,
    /** Applies incidents at their own times; what falls due before is done first. In the order of their commits. */
    feed: (incidents: readonly StoredIncident[]) => play.feed(incidents),
    /** Goes on until nothing is due, at most for a day. */
    finish: () => play.advanceTo(clock.now() + REST_MS),
    close: () => store.close(),
  }
}

/** Opens an empty database that is in memory up to its cache, and beyond that in a temporary file without a name. */
function openTemporary(): DatabaseSync {
  const db = new DatabaseSync('')
  db.exec(`PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -${CACHE_KIB}`)
  migrate(db)
  return db
}

function copySilences(db: DatabaseSync, silences: readonly StoredSilence[]): void {
  const insert = db.prepare("INSERT INTO silences (id, origin, settings, created_at) VALUES (?, 'api', ?, ?)")
  for (const { id, settings, createdAt } of silences) insert.run(id, settings, createdAt)
}

class Play {
  readonly #store: Store
  readonly #clock: SimulatedClock
  readonly #senders: ReadonlyMap<Destination, RehearsedSender>
  readonly #pages: boolean
  #settlements: Settlement[] = []
  /** In the order of time. */
  readonly #actions: Action[] = []
  #nextTurnAt = 0
  #idleMs = 0

  constructor({ channels, oncall, escalations }: StoreBoot, store: Store, clock: SimulatedClock) {
    this.#store = store
    this.#clock = clock
    this.#pages = (oncall ?? escalations) !== undefined
    const settle = (settlement: Settlement) => void this.#settlements.push(settlement)
    this.#senders = new Map(
      channels.map(({ name, mailbox, storm }) => [
        name,
        new RehearsedSender({ rate: storm.rate, mailbox }, clock, settle),
      ]),
    )
  }

  async feed(incidents: readonly StoredIncident[]): Promise<void> {
    let from = 0
    for (let at = 1; at <= incidents.length; at++) {
      const [first, next] = [incidents[from] as StoredIncident, incidents[at]]
      if (next !== undefined && Math.abs(next.committedAt - first.committedAt) < TURN_MS) continue
      const together = incidents.slice(from, at)
      await this.advanceTo(Math.max(...together.map(({ committedAt }) => committedAt)))
      this.#apply(together)
      from = at
    }
  }

  /** Plans the ends that people made. */
  endSilences(silences: readonly StoredSilence[]): void {
    const port = this.#store.silences
    for (const { id, ended } of silences)
      if (ended !== undefined)
        this.#insert({ at: ended.at, act: () => void (port.settings(id) !== undefined && port.end(id, ended.by)) })
  }

  /** Does what is due up to a time, in its order. */
  async advanceTo(end: number): Promise<void> {
    for (;;) {
      // Tokens that were given resolve promises, which send what waited for them.
      await afterPromises()
      const action = this.#actions[0]
      const dueAt = this.#dueAt()
      const [timerInMs = Infinity] = this.#clock.dueInMs
      const at = Math.min(dueAt, this.#clock.now() + timerInMs, action?.at ?? Infinity)
      if (at > end) break
      this.#clock.advance(Math.max(0, at - this.#clock.now()))
      if (action !== undefined && action.at <= this.#clock.now()) {
        this.#actions.shift()
        action.act()
      } else if (dueAt <= this.#clock.now()) this.#turn([])
    }
    this.#clock.advance(Math.max(0, end - this.#clock.now()))
  }

  /** Returns the time of the next turn without incidents. */
  #dueAt(): number {
    const { outbox } = this.#store
    const due =
      this.#settlements.length > 0
        ? this.#clock.now()
        : Math.min(outbox.nextDueAt('any'), ...Array.from(this.#capacity().keys(), (to) => outbox.nextDueAt(to)))
    return Math.max(due, this.#nextTurnAt)
  }

  #apply(incidents: readonly StoredIncident[]): void {
    const { applied } = this.#store.journal.progress()
    this.#turn(incidents.map((incident, at) => entryOf(incident, applied + 1 + at)))
    for (const incident of incidents) this.#plan(incident)
  }

  #turn(entries: readonly ReadyEntry[]): void {
    const settlements = this.#settlements
    this.#settlements = []
    const { dispatches, concluded } = this.#store.turn({
      settlements,
      sendersLost: false,
      clockJumpMs: 0,
      entries,
      capacity: this.#capacity(),
    })
    const idle = entries.length + settlements.length + dispatches.length + concluded.length === 0
    this.#idleMs = idle ? Math.min(IDLE_MS.most, Math.max(IDLE_MS.first, 2 * this.#idleMs)) : 0
    this.#nextTurnAt = this.#clock.now() + Math.max(PAUSE_MS, this.#idleMs)
    for (const dispatch of dispatches) this.#send(dispatch)
  }

  #send(dispatch: Dispatch): void {
    const sender = this.#senders.get(dispatch.destination)
    if (sender !== undefined) void sender.take(dispatch)
    else this.#settlements.push(sent(dispatch, { limiterWaitMs: 0, startedAt: this.#clock.now() }))
  }

  #capacity(): ReadonlyMap<Destination, Capacity> {
    const rooms = Array.from(this.#senders, ([to, { room }]) => [to, room] as const).filter(([, room]) => room > 0)
    const all: readonly (readonly [Destination, number])[] = this.#pages ? [...rooms, ['oncall', PAGE_SLOTS]] : rooms
    return new Map(all.map(([to, slots]) => [to, { slots, maxBytes: Number.MAX_SAFE_INTEGER }]))
  }

  /** Plans what people did to the incident. A resolution that its sender told comes by itself. */
  #plan({ draft: { id }, acknowledged, resolvedAt }: StoredIncident): void {
    const { operator, incidents } = this.#store
    if (acknowledged !== undefined)
      this.#insert({ at: acknowledged.at, act: () => void operator.acknowledge(id, acknowledged.by) })
    if (resolvedAt !== undefined)
      this.#insert({
        at: resolvedAt,
        act: () => void (incidents.record(id)?.resolved_at === null && operator.resolve(id, PERSON)),
      })
  }

  #insert(action: Action): void {
    const behind = this.#actions.findLastIndex(({ at }) => at <= action.at)
    this.#actions.splice(behind + 1, 0, action)
  }
}

const PAGE_SLOTS = 128
const PERSON = 'rehearsal'

function entryOf({ draft, committedAt, overrides }: StoredIncident, number: number): ReadyEntry {
  return {
    kind: 'ready',
    first: number,
    last: number,
    committedAt,
    submissions: [{ drafts: [draft], ...(overrides && { overrides }) }],
    contents: draft.content,
    // It would be kept if the incident could not be applied.
    frame: NO_FRAME,
  }
}
