import type { PostedAlert, Texts } from './body.ts'
import { type Claim, endClaim, KEPT_MS, lastToEnd, withClaim } from './claims.ts'
import { fingerprintOf } from './fingerprint.ts'

/**
 * State of an entry:
 *
 *     firing      it has a claim. Leaves to committing; to muted, when a person resolves its problem
 *     muted       it fires, and a person resolved its problem. Leaves to committing
 *     resolved    kept for 20 min, so that repeated resolutions bring nothing. Leaves to committing, or is forgotten
 *     committing  its incident is on the way to the disk. Leaves to firing or resolved; to the state before when refused
 */
type EntryState = 'firing' | 'muted' | 'resolved' | 'committing'

/** An alert, which is one problem. Changed by the table alone. */
export interface Entry {
  /** Fingerprint of its problem, by which the table has it. */
  readonly problem: string
  /** Alertmanager's. */
  readonly fingerprint: string
  readonly labels: Texts
  annotations: Texts
  /** Epoch milliseconds. */
  startsAt: number
  /** Epoch milliseconds of the last news or re-send. */
  updatedAt: number
  generatorURL: string
  state: EntryState
  /** Settles with the commit under way. */
  commit: Promise<void> | undefined
  claims: Claim[]
  /** Until when re-sends of a muted one bring nothing, or a resolved one is kept; monotonic milliseconds. */
  until: number
  /** How long a claim is valid, for a restart, milliseconds. */
  validMs: number
  /** Id of the last incident; '' after a start. */
  incident: string
}

/** A change that has to be committed. */
export interface News {
  readonly entry: Entry
  readonly status: 'firing' | 'resolved'
  /** Of a resolved one, epoch milliseconds. */
  readonly endsAt?: number
  /** Nobody repeated it. */
  readonly byTimeout?: boolean
}

export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number
  /** Monotonic milliseconds. */
  readonly elapsed: number
  readonly resolveTimeoutMs: number
}

/** News of a request, and counts of the rest. */
interface Taken {
  readonly news: News[]
  readonly unchanged: number
  /** Resolutions of what the table does not know, knows as resolved, or saw begin after them. */
  readonly unknownResolved: number
  /** Firing alerts beyond the bound of the table. */
  readonly refused: number
  /** Entries that fire and were sent again. */
  readonly again: readonly Entry[]
}

/**
 * The alerts that fire, in memory, by their label sets. It decides what is news: a re-sent alert is none, and an alert ends
 * when no sender claims any more that it fires. No clock, no disk.
 */
export class AlertTable {
  readonly #entries = new Map<string, Entry>()
  /** Entries that are not resolved. */
  #firing = 0
  /** Refused commits hold up every claim: the sender was answered 503 and has to repeat it. */
  #refusedAt = -Infinity

  /** By their problems. */
  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries
  }

  get firing(): number {
    return this.#firing
  }

  /** Commits under way of the alerts; wait for them before `take`. */
  pending(alerts: readonly PostedAlert[]): Promise<void>[] {
    return alerts.flatMap(({ problem }) => this.#entries.get(problem)?.commit ?? [])
  }

  /**
   * Takes the alerts that one sender sent in one request, each once. Call `begin` with the news before anything else.
   *
   * @param sender who claims that they fire
   * @param maxAlerts bound of alerts that fire
   */
  take(alerts: readonly PostedAlert[], sender: string, at: Moment, maxAlerts: number): Taken {
    const taken = { news: [] as News[], unchanged: 0, unknownResolved: 0, refused: 0, again: [] as Entry[] }
    let begun = 0
    for (const alert of alerts) {
      const entry = this.#entries.get(alert.problem)
      if (alert.endsAt !== undefined && alert.endsAt <= at.now) {
        if (entry === undefined || entry.state === 'resolved' || isOfEarlier(entry, alert.endsAt, sender))
          taken.unknownResolved++
        else if (endClaim(entry, sender, at.elapsed))
          taken.news.push({ entry, status: 'resolved', endsAt: alert.endsAt })
        else taken.unchanged++
        continue
      }
      if (entry === undefined || entry.state === 'resolved') {
        if (this.#firing + begun >= maxAlerts) taken.refused++
        else {
          taken.news.push({ entry: this.#renewed(entry, alert, sender, at), status: 'firing' })
          begun++
        }
        continue
      }
      again(entry, alert, sender, at)
      if (entry.state === 'muted' && entry.until <= at.elapsed) {
        entry.validMs = validMsOf(alert, at)
        taken.news.push({ entry, status: 'firing' })
      } else {
        taken.unchanged++
        taken.again.push(entry)
      }
    }
    return taken
  }

  /** Returns the entry of an alert that begins to fire, with its first claim. */
  #renewed(known: Entry | undefined, alert: PostedAlert, sender: string, at: Moment): Entry {
    const entry = known ?? entryOf(alert, 'resolved', at)
    this.#entries.set(entry.problem, entry)
    again(entry, alert, sender, at)
    entry.startsAt = alert.startsAt
    entry.validMs = validMsOf(alert, at)
    return entry
  }

  /** Marks news as on their way. Call it before anything else is taken. */
  begin(news: readonly News[], commit: Promise<void>): () => void {
    const before = news.map(({ entry }) => entry.state)
    for (const { entry } of news) Object.assign(entry, { state: 'committing', commit })
    return () => {
      for (const [at, { entry }] of news.entries()) entry.state = before[at] as EntryState
      for (const { entry } of news) entry.commit = undefined
    }
  }

  /** The news are on disk. @param incident id of the first */
  committed(news: readonly News[], incident: string, { elapsed }: Pick<Moment, 'elapsed'>): void {
    for (const { entry, status } of news) {
      // Another replica led meanwhile, and the table was cleared.
      if (this.#entries.get(entry.problem) !== entry) continue
      const wasFiring = entry.state === 'firing' || entry.state === 'muted'
      this.#firing += Number(status === 'firing') - Number(wasFiring)
      entry.state = status
      entry.incident = incident
      if (status === 'firing') continue
      for (const claim of entry.claims) claim.until = Math.min(claim.until, elapsed)
      entry.until = elapsed + KEPT_MS
    }
  }

  /** The commit was refused: the sender will repeat what is news, and claims last for as long. */
  refused({ elapsed }: Pick<Moment, 'elapsed'>): void {
    this.#refusedAt = elapsed
  }

  /** Returns the alerts that nobody claims any more, at most `limit`, and forgets what was resolved long ago. */
  expire({ elapsed }: Pick<Moment, 'elapsed'>, limit: number): News[] {
    const news: News[] = []
    for (const entry of this.#entries.values()) {
      if (entry.state === 'resolved' && entry.until <= elapsed) this.#entries.delete(entry.problem)
      if (entry.state !== 'firing' && entry.state !== 'muted') continue
      const since = elapsed - this.#refusedAt
      if (since < entry.validMs || news.length === limit) continue
      const last = lastToEnd(entry.claims)
      if (last === undefined || last.until <= elapsed)
        news.push({ entry, status: 'resolved', byTimeout: last?.isEnded !== true })
    }
    return news
  }

  /** A person resolved a problem: re-sends of the alert bring nothing for `resolve_timeout`. */
  mute(problem: string, { elapsed, resolveTimeoutMs }: Pick<Moment, 'elapsed' | 'resolveTimeoutMs'>): void {
    const entry = this.#entries.get(problem)
    if (entry?.state === 'firing') Object.assign(entry, { state: 'muted', until: elapsed + resolveTimeoutMs })
  }

  /**
   * Adds an alert that fires on disk, after a start. Its claim is of an unknown sender, and the first re-send replaces it.
   *
   * @param until of the claim, monotonic milliseconds
   */
  load(alert: PostedAlert, { until, validMs, isMuted }: Loaded, at: Moment): void {
    this.#firing++
    const entry = entryOf(alert, isMuted ? 'muted' : 'firing', at)
    const claims = [{ sender: '', until, isGuessed: true }]
    this.#entries.set(alert.problem, { ...entry, claims, until: at.elapsed + at.resolveTimeoutMs, validMs })
  }

  clear(): void {
    this.#entries.clear()
    this.#firing = 0
  }
}

interface Loaded {
  readonly until: number
  readonly validMs: number
  /** A person resolved its problem. */
  readonly isMuted: boolean
}

/** Returns an entry that nobody claims to fire. */
const entryOf = (
  { problem, labels, annotations, startsAt, generatorURL }: PostedAlert,
  state: EntryState,
  { now, elapsed }: Moment,
): Entry => ({
  problem,
  fingerprint: fingerprintOf(labels),
  labels,
  annotations,
  startsAt,
  updatedAt: now,
  generatorURL,
  state,
  commit: undefined,
  claims: [],
  until: elapsed,
  validMs: 0,
  incident: '',
})

/** For how long the sender says that it fires, milliseconds. */
const validMsOf = ({ endsAt }: PostedAlert, { now, resolveTimeoutMs }: Moment) =>
  endsAt === undefined ? resolveTimeoutMs : Math.max(0, endsAt - now)

/**
 * A sender that claims nothing repeats that the alert was over before it began to fire: the table does not know that
 * resolution after a start.
 */
const isOfEarlier = ({ startsAt, claims }: Entry, endsAt: number, sender: string): boolean =>
  endsAt < startsAt && claims.every((claim) => claim.sender !== sender)

/** A sender says that the alert fires. */
function again(entry: Entry, alert: PostedAlert, sender: string, at: Moment): void {
  entry.annotations = alert.annotations
  entry.generatorURL = alert.generatorURL
  entry.startsAt = Math.min(entry.startsAt, alert.startsAt)
  entry.updatedAt = at.now
  const until = at.elapsed + validMsOf(alert, at)
  entry.claims = withClaim(entry.claims, { sender, until, isGuessed: alert.endsAt === undefined }, at.elapsed)
}
