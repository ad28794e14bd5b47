import { type Beat, type Found, type Identity, readBeat, sharedWith } from './beat.ts'
import type { Cluster, ClusterStatus, Connection, Leader, Replica } from './contract.ts'
import { DatabaseClock } from './database-clock.ts'
import type { SharedLease } from './shared-lease.ts'
import { BEAT, BEGIN_LIFE, LEAVE, REAP, SUCCEED, TAKE } from './statements.ts'

interface MemberSettings {
  readonly name: string
  readonly address: string
  readonly version: string
  readonly leaseMs: number
  /** Notified when a replica leaves. */
  readonly channel: string
}

interface MemberReport {
  /** Called with the error of the first beat that failed in a row. */
  cutOff(error: unknown): void
  reconnected(): void
  /** The life was ended by another replica: beats came too late. */
  declaredDead(): void
  /** Lives of other replicas that this one ended. */
  ended(names: readonly string[]): void
  /** The database is another copy now: what was committed last may be lost. */
  timelineChanged(before: string, after: string): void
  clockSet(offsetMs: number): void
  /** Another replica that runs has the same name, address, or both. Called once for each. */
  shared(identity: readonly Identity[], other: Pick<Replica, 'name' | 'address'>): void
}

interface MemberDeps {
  readonly settings: MemberSettings
  readonly connection: Connection
  readonly lease: SharedLease
  readonly report: MemberReport
  /** Monotonic milliseconds that go on while the process is stopped. */
  elapsed(): number
  /** Epoch milliseconds of the own wall clock; only its offset is told. */
  wallClock(): number
  /** Returns what the others are shown of this replica. */
  figures(): unknown
}

/** Share of the lease for which a beat is trusted; the rest covers clocks that run at different speeds. */
const TRUSTED = 0.9
/** Beats for each lease. */
const BEATS = 5
/** After a lease that ends, so that it is over when the beat comes. */
const SLACK_MS = 5
const SHORTEST_WAIT_MS = 20

/**
 * One process among the replicas. Call `beat` again and again, each time after the milliseconds that it returns.
 *
 * - outside: has no row; the next beat begins a life. Leaves to member.
 * - member: has a row. Leaves to leader by taking the free lease, to outside when its row is gone.
 * - leader: holds the lease. It may begin sends for 0.9 leases from before its last beat was sent, by its monotonic
 *   clock; without beats it stays the leader that does nothing, until it beats again or finds its row gone. Leaves to
 *   outside, or for good with `leave`.
 *
 * Ends other lives only after one lease of connection, so that after a restart of the database every replica can renew
 * its life.
 */
export class Membership implements Cluster {
  readonly #deps: MemberDeps
  readonly #clock: DatabaseClock
  readonly #watchers: (() => void)[] = []
  #life: number | undefined
  #state: 'outside' | 'member' | 'leader' = 'outside'
  #last: Beat | undefined
  #lastAt = 0
  #timeline: string | undefined
  #failedInARow = 0
  #counts = { takeovers: 0, beatsFailed: 0 }
  #told: string | undefined
  /** Lives of others that were reported. */
  readonly #shared = new Set<number>()

  constructor(deps: MemberDeps) {
    this.#deps = deps
    this.#clock = new DatabaseClock(deps.wallClock() - deps.elapsed())
    deps.lease.setEpoch(this.#clock.epochMs)
  }

  /** Returns after how many milliseconds the next beat is due. Never rejects. */
  async beat(): Promise<number> {
    try {
      await this.#renew()
      if (this.#failedInARow > 0) this.#deps.report.reconnected()
      this.#failedInARow = 0
    } catch (error) {
      this.#counts.beatsFailed++
      if (this.#failedInARow++ === 0) this.#deps.report.cutOff(error)
    }
    this.#tell()
    return this.#dueInMs()
  }

  /**
   * The first beat. Goes on at once where a killed process of the same name and address led. Rejects with the error of
   * the database.
   */
  async join(): Promise<void> {
    const { connection, settings } = this.#deps
    await connection.query(SUCCEED, [settings.name, settings.address])
    await this.#renew()
    this.#tell()
  }

  /** Ends the life in good order; another replica takes the lease at once. Ignores a database that does not answer. */
  async leave(): Promise<void> {
    const life = this.#life
    this.#end()
    this.#tell()
    if (life !== undefined)
      await this.#deps.connection.query(LEAVE, [life, this.#deps.settings.channel]).catch(() => {})
    await this.#deps.connection.close()
  }

  get isLeader(): boolean {
    return this.#state === 'leader'
  }

  /** Milliseconds for which the last beat is trusted; 0 or less when it is too old. */
  get trustedForMs(): number {
    return this.#lastAt === 0 ? 0 : this.#lastAt + TRUSTED * this.#deps.settings.leaseMs - this.#deps.elapsed()
  }

  leader(): Leader | undefined {
    const beat = this.#last
    const found = beat?.replicas.find(({ id }) => id === beat.holder)
    if (this.trustedForMs <= 0 || beat === undefined || found === undefined) return undefined
    const own = beat.replicas.find(({ id }) => id === this.#life)
    const { name, address } = found
    const isFormer = found !== own && name === own?.name && sharedWith(found, own, beat.now).length === 0
    return { name, address, self: this.#state === 'leader', ...(isFormer && { former: true }) }
  }

  replicas(): readonly Replica[] {
    const beat = this.#last
    if (!beat) return []
    const ageMs = this.#deps.elapsed() - this.#lastAt
    return beat.replicas.map((found) => {
      const { id, beatAgeMs, leaseLeftMs, clockOffsetMs, ...replica } = found
      return {
        ...replica,
        leads: id === beat.holder,
        self: id === this.#life,
        lastBeatMs: beatAgeMs + ageMs,
        leaseLeftMs: leaseLeftMs - ageMs,
        clockOffsetMs: clockOffsetMs ?? undefined,
        shares: [...new Set(beat.replicas.flatMap((other) => sharedWith(found, other, beat.now)))],
      }
    })
  }

  status(): ClusterStatus {
    const leads = this.#state === 'leader'
    return {
      ...this.#counts,
      replicas: this.#last?.replicas.length ?? 0,
      leads,
      leaseLeftMs: leads ? Math.max(0, this.#deps.lease.leadsUntilMs - this.#deps.elapsed()) : 0,
      clockOffsetMs: this.#clockOffsetMs,
      storeUp: this.#lastAt > 0 && this.#failedInARow === 0,
      synchronous: this.#last?.synchronous ?? false,
    }
  }

  watch(changed: () => void): void {
    this.#watchers.push(changed)
  }

  async #renew(): Promise<void> {
    const { connection, settings } = this.#deps
    if (this.#life === undefined) await this.#begin()
    let beat = await this.#ask()
    if (this.#timeline !== undefined && beat.timeline !== this.#timeline) {
      this.#deps.report.timelineChanged(this.#timeline, beat.timeline)
      this.#timeline = beat.timeline
      if (this.#life !== undefined) await connection.query(LEAVE, [this.#life, settings.channel])
      this.#end()
      return
    }
    this.#timeline = beat.timeline
    if (!beat.alive) {
      this.#end()
      this.#deps.report.declaredDead()
      return
    }
    beat = await this.#succeed(beat)
    this.#last = beat
    this.#reportShared(beat)
  }

  #reportShared({ now, replicas }: Beat): void {
    const own = replicas.find(({ id }) => id === this.#life)
    if (own === undefined) return
    for (const other of replicas) {
      const identity = sharedWith(own, other, now)
      if (identity.length === 0 || this.#shared.has(other.id)) continue
      this.#shared.add(other.id)
      this.#deps.report.shared(identity, other)
    }
  }

  async #begin(): Promise<void> {
    const { connection, settings } = this.#deps
    const { name, address, version, leaseMs } = settings
    const [row] = await connection.query(BEGIN_LIFE, [name, address, version, leaseMs])
    this.#life = Number(row?.id)
    this.#state = 'member'
  }

  /**
   * Ends the lives whose lease is over, also as the leader, and takes the lease if it is free. Returns the cluster as it
   * is afterwards.
   */
  async #succeed(beat: Beat): Promise<Beat> {
    const { connection, report } = this.#deps
    const over = this.#isSettled ? this.#others(beat).filter(({ leaseLeftMs }) => leaseLeftMs < 0) : []
    if (over.length > 0) {
      const ended = await connection.query(REAP, [this.#life])
      if (ended.length > 0) report.ended(ended.map(({ name }) => String(name)))
    } else if (beat.holder !== undefined) return beat
    const [taken] = await connection.query(TAKE, [this.#life])
    if (taken) this.#counts.takeovers++
    return taken || over.length > 0 ? this.#ask() : beat
  }

  /** Beats once, and takes over what it says of the own life. */
  async #ask(): Promise<Beat> {
    const { connection, settings, lease, elapsed } = this.#deps
    const sentMs = elapsed()
    const figures = JSON.stringify(this.#deps.figures() ?? null)
    const [row] = await connection.query(BEAT, [this.#life, settings.leaseMs, this.#clockOffsetMs, figures])
    if (!row) throw new Error('the table leases has no row for the leader: restore it or create the schema anew')
    const receivedMs = elapsed()
    const beat = readBeat(row)
    const wasSet = this.#clock.read({ sentMs, receivedMs, databaseMs: beat.now })
    lease.setEpoch(this.#clock.epochMs)
    if (wasSet && this.#lastAt > 0) this.#deps.report.clockSet(this.#clockOffsetMs)
    this.#lastAt = sentMs
    const isSame = this.#timeline === undefined || this.#timeline === beat.timeline
    if (beat.alive && isSame && beat.holder === this.#life) this.#lead(sentMs + TRUSTED * settings.leaseMs, beat.fence)
    else if (this.#state === 'leader') this.#follow()
    return beat
  }

  #lead(untilMs: number, term: number): void {
    this.#state = 'leader'
    this.#deps.lease.lead(untilMs, term)
  }

  #follow(): void {
    this.#state = 'member'
    this.#deps.lease.lead(0, this.#deps.lease.term)
  }

  #end(): void {
    this.#follow()
    this.#state = 'outside'
    this.#life = undefined
    this.#last = undefined
  }

  /** Connected for a whole lease. */
  get #isSettled(): boolean {
    const { connection, settings, elapsed } = this.#deps
    return connection.since !== undefined && elapsed() - connection.since >= settings.leaseMs
  }

  get #clockOffsetMs(): number {
    const { elapsed, wallClock } = this.#deps
    return this.#clock.epochMs + elapsed() - wallClock()
  }

  /** Beats when the lease of another is over, if that is before the regular beat. */
  #dueInMs(): number {
    const { settings, connection, elapsed } = this.#deps
    const regularMs = settings.leaseMs / BEATS
    if (this.#failedInARow > 0 || connection.since === undefined) return regularMs
    if (this.#last === undefined || this.#last.holder === undefined) return SHORTEST_WAIT_MS
    const settledInMs = connection.since + settings.leaseMs - elapsed()
    const overInMs = this.#others(this.#last).map(({ leaseLeftMs }) => this.#lastAt + leaseLeftMs - elapsed())
    const endsInMs = Math.max(settledInMs, Math.min(...overInMs)) + SLACK_MS
    return Math.max(SHORTEST_WAIT_MS, Math.min(regularMs, endsInMs))
  }

  #others({ replicas }: Beat): Found[] {
    return replicas.filter(({ id }) => id !== this.#life)
  }

  #tell(): void {
    const told = JSON.stringify([this.leader(), this.#state])
    if (told === this.#told) return
    this.#told = told
    for (const changed of this.#watchers) changed()
  }
}
