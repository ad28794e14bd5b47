import { Batch } from './batch.ts'
import { CONNECTION_FAILURE, PostgresError, ServerChanged } from './errors.ts'
import { type Link, openLink } from './link.ts'
import type { ConnectPlan, ServerIdentity } from './protocol.ts'
import { sessionSettings, settingStatement } from './session.ts'
import { endpointsOf, type PostgresSettings } from './settings.ts'
import { control, type Description, openStatements, type Statements, type Variant } from './statements.ts'
import { type Result, readReply, type Status } from './wire/reply.ts'
import { RequestWriter } from './wire/request.ts'
import type { Value } from './wire/types.ts'

const SHORTEST_WAIT_MS = 50
const SAVEPOINT = control('SAVEPOINT describing')
const RELEASE = control('RELEASE SAVEPOINT describing')
const UNDO = control('ROLLBACK TO SAVEPOINT describing')

interface ConversationDeps {
  readonly settings: PostgresSettings
  readonly applicationName: string
  /** A transaction is open: its connection must not be replaced by a new one. */
  inTransaction(): boolean
}

/**
 * Requests and replies of one connection, which is made anew when it was lost. Every function may block for
 * `commitTimeoutMs`, and half of it for a new connection. Throws `PostgresError`, `ServerChanged`.
 */
export class Conversation {
  readonly #link: Link
  readonly #writer = new RequestWriter()
  #statements: Statements = this.#newStatements()
  readonly #deps: ConversationDeps
  /** The connection is one of a transaction pooler: nothing of the session lasts. */
  readonly #pooled: boolean
  /** No wait goes beyond it; of `performance.now`. */
  deadline = Number.POSITIVE_INFINITY
  /** At the end of the last reply. */
  status: Status = 'idle'
  /** One counter for all connections: a statement may be described on one and prepared on the next. */
  #names = 0
  #batch = new Batch(this.#writer)
  #plan: ConnectPlan
  #timeoutMs: number
  /** Makes the settings of the session for one transaction. */
  #localSettings: Variant
  /** Server of the last connection. */
  #server: ServerIdentity | undefined

  constructor(deps: ConversationDeps) {
    const { url, listenUrl, schema, commitTimeoutMs } = deps.settings
    this.#deps = deps
    this.#pooled = listenUrl !== ''
    this.#timeoutMs = commitTimeoutMs
    const session = sessionSettings(schema, commitTimeoutMs)
    this.#localSettings = control(settingStatement(session, true))
    this.#plan = { endpoints: endpointsOf(url), timeoutMs: commitTimeoutMs / 2, session: this.#pooled ? {} : session }
    this.#link = openLink(deps.applicationName)
  }

  get isConnected(): boolean {
    return this.#link.connection !== 0
  }

  /** What was queued and not sent. */
  get isPending(): boolean {
    return !this.#batch.isEmpty
  }

  /** Throws `ServerChanged` once, when another server answers than before; the connection stands then. */
  connect(): void {
    if (this.isConnected) return
    if (this.#deps.inTransaction())
      throw new PostgresError(CONNECTION_FAILURE, 'the connection was lost inside a transaction')
    this.drop()
    this.#statements = this.#newStatements()
    this.status = 'idle'
    const before = this.#server
    const timeoutMs = this.#atMost(this.#plan.timeoutMs)
    const now = this.#link.connect({ ...this.#plan, timeoutMs })
    this.#server = now
    // The host that was a primary is tried first from now on.
    const { endpoints } = this.#plan
    const first = endpoints.filter(({ host, port }) => host === now.host && port === now.port)
    this.#plan = { ...this.#plan, endpoints: [...first, ...endpoints.filter((each) => !first.includes(each))] }
    if (before && (before.system !== now.system || before.timeline !== now.timeline))
      throw new ServerChanged(nameOf(before), nameOf(now))
  }

  /** Adds a statement to the next request. */
  add(sql: string, values: readonly Value[], answered?: (result: Result) => void): void {
    this.connect()
    const variant = this.#statements.get(sql, values)
    // Asking for the types may have ended the connection.
    this.connect()
    this.#add(variant, values, answered)
  }

  /** Adds a statement without parameters and rows to the next request. */
  addControl(statement: Variant): void {
    this.#add(statement, [])
  }

  /** Makes settings in the transaction that has just been begun, where the session has none. */
  addLocalSettings(): void {
    if (this.#pooled) this.addControl(this.#localSettings)
  }

  /** Forgets what was queued and not sent. */
  drop(): void {
    this.#writer.clear()
    this.#batch.abandon()
    this.#batch = new Batch(this.#writer)
  }

  /** Sends what was queued, and calls back with the answers. Throws the first error of a statement. */
  send(timeoutMs = this.#timeoutMs): { readonly status: Status; readonly notWaited: boolean } {
    const batch = this.#batch
    this.#writer.sync()
    const { status } = this.#exchange(timeoutMs)
    if (batch.error) throw batch.error
    return { status, notWaited: batch.notWaited }
  }

  /** Runs statements without parameters; for the schema. */
  exec(sql: string): { readonly status: Status; readonly notWaited: boolean } {
    this.connect()
    if (this.isPending) this.send()
    const prefix = this.#pooled && !this.#deps.inTransaction() ? `${this.#localSettings.sql}; ` : ''
    this.#writer.simple(prefix + sql)
    const { status, batch } = this.#exchange(this.#timeoutMs)
    if (batch.error) throw batch.error
    return { status, notWaited: batch.notWaited }
  }

  /** Gives statements more time during `work`. Outside a transaction. */
  patient<T>(timeoutMs: number, work: () => T): T {
    const before = { plan: this.#plan, timeoutMs: this.#timeoutMs, local: this.#localSettings }
    const session = sessionSettings(this.#deps.settings.schema, timeoutMs)
    this.#timeoutMs = timeoutMs
    this.#localSettings = control(settingStatement(session, true))
    this.#apply({ ...before.plan, session: this.#pooled ? {} : session })
    try {
      return work()
    } finally {
      this.#timeoutMs = before.timeoutMs
      this.#localSettings = before.local
      this.#apply({ ...this.#plan, session: before.plan.session })
    }
  }

  close(): void {
    this.#link.close()
  }

  /** A connection knows none of the last one's, and the schema may have changed meanwhile. */
  #newStatements(): Statements {
    return openStatements({
      describe: (sql, types) => this.#describe(sql, types),
      evicted: ({ name, preparedOn }) => {
        if (name !== '' && preparedOn === this.#link.connection) this.#writer.close(name)
      },
      named: () => !this.#pooled,
      newName: () => `s${++this.#names}`,
    })
  }

  #apply(plan: ConnectPlan): void {
    this.#plan = plan
    if (this.isConnected && !this.#pooled) this.exec(settingStatement(plan.session, false))
  }

  #add(variant: Variant, values: readonly Value[], answered?: (result: Result) => void): void {
    this.#prefix()
    this.#batch.execute(variant, values, this.#link.connection, answered)
  }

  #atMost(timeoutMs: number): number {
    return Math.max(SHORTEST_WAIT_MS, Math.min(timeoutMs, this.deadline - performance.now()))
  }

  /** Makes the settings of a request outside a transaction. */
  #prefix(): void {
    if (this.#batch.isEmpty && this.#pooled && !this.#deps.inTransaction())
      this.#batch.execute(this.#localSettings, [], this.#link.connection)
  }

  #exchange(timeoutMs: number): { readonly status: Status; readonly batch: Batch } {
    const batch = this.#batch
    this.#batch = new Batch(this.#writer)
    try {
      this.status = readReply(this.#link.exchange(this.#writer.take(), this.#atMost(timeoutMs)), batch)
    } finally {
      batch.abandon()
    }
    if (batch.error && isOutdated(batch.error)) {
      this.#link.drop()
      throw new PostgresError(CONNECTION_FAILURE, 'the schema has changed', { cause: batch.error })
    }
    return { status: this.status, batch }
  }

  #describe(sql: string, types: readonly number[]): Description | PostgresError {
    const guarded = this.#deps.inTransaction()
    if (this.isPending) this.send()
    this.connect()
    if (guarded) this.addControl(SAVEPOINT)
    this.#prefix()
    const batch = this.#batch
    batch.describe(sql, types)
    this.#writer.sync()
    this.#exchange(this.#timeoutMs)
    if (guarded) this.addControl(batch.error ? UNDO : RELEASE)
    if (guarded && batch.error) this.send()
    return batch.error ?? batch.description
  }
}

/** A prepared statement does not fit the schema any more, or is gone. */
const isOutdated = ({ sqlstate, message }: PostgresError) =>
  sqlstate === '26000' || (sqlstate === '0A000' && message.includes('cached plan'))

const nameOf = ({ host, port, timeline }: ServerIdentity) =>
  `${host}:${port}, timeline ${Number.parseInt(timeline, 16)}`
