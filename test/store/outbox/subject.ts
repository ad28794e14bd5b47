import { DESTINATIONS, type Destination } from '../../../src/domain/delivery/delivery.ts'
import { type Dispatch, type DispatchKey, keyOf } from '../../../src/domain/delivery/dispatch.ts'
import { DESTINATION_CODE, KIND, kindName, STATE } from '../../../src/store/engine/column-codes.ts'
import type { Sql } from '../../../src/store/engine/sql.ts'
import type { Turn } from '../../../src/store/ports/turn.ts'
import type { Store } from '../../../src/store/store.ts'
import type { StoreOptions } from '../../../src/store/store-options.ts'
import { openDatabase, openStore } from '../database.ts'
import { Faults } from '../faults.ts'
import { backlogOf, freshDir, START, turn } from '../support.ts'

export const CHANNELS = ['chatws', 'email'] as const

const NOISE = ['destinations', 'bundles', 'tallies', 'revisions', 'problems', 'pairings', 'problem_progress']

interface QueueRow {
  readonly kind: number
  readonly destination: number
  readonly state: number
  readonly n: number
  readonly due: number
}

interface KeyRow {
  readonly incident: number
  readonly kind: number
  readonly destination: number
  readonly number: number
}

/** A store whose disk can fail at any statement, and the dispatches that its senders hold. */
export class OutboxSubject {
  now = START
  readonly held = new Map<string, Dispatch>()
  /** Dispatches that a sender held and does not hold any more. */
  readonly settled: Dispatch[] = []
  #options: StoreOptions
  #store: Store
  #db: Sql
  #faults = new Faults('storage_full')

  constructor(t: { after(clean: () => void): void }, changes: Partial<StoreOptions> = {}) {
    const oncall = { enable: true, waitMs: 30_000, provider: 'webhook' }
    const limits = { maxIncidents: 10_000, maxBacklog: 10_000 }
    this.#options = {
      dataDir: freshDir(t),
      channels: CHANNELS,
      threadedChannels: ['chatws'],
      oncall,
      ...limits,
      now: () => this.now,
      ...changes,
    }
    this.#db = openDatabase(this.#options.dataDir, this.#faults)
    this.#store = openStore(this.#options, this.#db)
    t.after(() => this.#store.close())
  }

  get store(): Store {
    return this.#store
  }

  turn(changes: Partial<Turn>) {
    return turn(this.#store, changes)
  }

  /** Begins another life of the process: the senders of the last one are gone. */
  reopen(changes: Partial<StoreOptions> = {}): void {
    this.#store.close()
    this.#options = { ...this.#options, ...changes }
    this.#faults = new Faults('storage_full')
    this.#db = openDatabase(this.#options.dataDir, this.#faults)
    this.#store = openStore(this.#options, this.#db)
    this.held.clear()
  }

  /** Runs `work` on a disk that fails at its nth statement; returns true when it got that far. */
  failsAt(statement: number, work: () => unknown): boolean {
    let failed = false
    try {
      this.#faults.during(statement - 1, work, () => {
        failed = true
      })
    } catch (error) {
      if (!failed) throw error
    }
    return failed
  }

  rows<Row>(sql: string): Row[] {
    return this.#db.prepare(sql).all() as Row[]
  }

  /** All that is on disk of dispatches, and all that memory says of them. */
  dump() {
    const { status, journal } = this.#store
    const tables = [
      'dispatches',
      'pages',
      'attempts',
      'tellings',
      'incidents',
      'contents',
      'quarantine',
      'process',
      ...NOISE,
    ]
    return {
      disk: tables.map((table) => this.rows(`SELECT * FROM ${table}`)),
      memory: this.memory(),
      counters: { ...status.counters(), ...status.state().oncall },
      progress: journal.progress(),
    }
  }

  /** Counts and due times as memory has them. */
  memory() {
    const backlog = backlogOf(this.store)
    const queues = CHANNELS.map((name) => [name, backlog[name].pending, backlog[name].sending])
    const { finishedIncidents } = this.store.status.counters()
    return { finishedIncidents, queues, dueAt: DESTINATIONS.map((to) => this.store.outbox.nextDueAt(to)) }
  }

  /** The same, counted on disk. */
  recounted() {
    const rows = this.rows<QueueRow>(
      `SELECT kind, destination, state, count(*) AS n, min(due_at) AS due FROM dispatches GROUP BY kind, destination, state`,
    )
    const of = (to: Destination, state: number) =>
      rows.filter((row) => row.kind !== 1 && row.destination === DESTINATION_CODE[to] && row.state === state)
    const [page] = this.rows<{ due: number | null }>(
      'SELECT min(signal_at) AS due FROM pages WHERE leased = 0 AND signal_at IS NOT NULL',
    )
    const dueAt = (to: Destination) => Math.min(...of(to, STATE.pending).map(({ due }) => due))
    const deliveries = (to: Destination, state: number) => of(to, state).find(({ kind }) => kind === 0)?.n ?? 0
    const finished = this.rows<{ n: number }>(
      'SELECT count(*) AS n FROM incidents WHERE notify_status <> 0 AND oncall_open = 0',
    )
    return {
      finishedIncidents: finished[0]?.n,
      queues: CHANNELS.map((to) => [to, deliveries(to, STATE.pending), deliveries(to, STATE.sending)]),
      dueAt: DESTINATIONS.map((to) => (to === 'oncall' ? (page?.due ?? Infinity) : dueAt(to))),
    }
  }

  /** Incidents whose `notify_status` or mark of a page to come is not what their dispatches and pages say. */
  wrongStatuses(): unknown[] {
    const inState = (kind: number, states: string) =>
      `(SELECT count(*) FROM dispatches WHERE incident = seq AND kind = ${kind} AND state IN (${states}))`
    const expected = `CASE WHEN ${inState(0, '0, 1, 5')} > 0 THEN 0 WHEN ${inState(0, '3, 4')} = 0 THEN 1 WHEN ${inState(0, '2')} > 0 THEN 2 ELSE 3 END`
    const toCome =
      'SELECT timer_incident FROM pages WHERE timer IS NOT NULL UNION SELECT incident FROM pages WHERE phase = 1'
    return this.rows(
      `SELECT seq, notify_status, oncall_open FROM incidents WHERE notify_status <> ${expected}
         OR (oncall_open = 1) <> (seq IN (${toCome})) OR (oncall_open = 1) <> (coalesce(page, 2) IN (0, 1, 8))`,
    )
  }

  /** Leases of this life that are on disk, as words. */
  leased(): string[] {
    const rows = this.rows<KeyRow>(
      `SELECT incident, kind, destination, number FROM dispatches
       WHERE state = ${STATE.sending} AND lease_owner = (SELECT life FROM process) AND lease_until > ${this.now - 3_600_000}`,
    )
    const pages = this.rows<Pick<KeyRow, 'incident' | 'number'>>(
      'SELECT incident, problem AS number FROM pages WHERE leased = 1',
    ).map((row) => ({ ...row, kind: KIND.page, destination: DESTINATION_CODE.oncall }))
    return [...rows, ...pages]
      .map((row) =>
        wordsOf({ ...row, kind: kindName(row.kind), destination: nameOf(row.destination), code: row.destination }),
      )
      .sort()
  }
}

const nameOf = (code: number) => DESTINATIONS.find((name) => DESTINATION_CODE[name] === code) as Destination

export const wordsOf = (key: DispatchKey) => Object.values(keyOf(key)).join(' ')
