import { setImmediate as nextTurn } from 'node:timers/promises'
import { BadRequest, type PostedAlert, type PostedAlerts, readAlerts } from '../../../src/alertmanager/body.ts'
import { payloadOf } from '../../../src/alertmanager/payload.ts'
import { AlertTable, type Entry, type Moment, type News } from '../../../src/alertmanager/table.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import { severityRank } from '../../../src/domain/severity.ts'
import { alertFingerprint as problemOf } from '../../../src/intake/recognise.ts'
import type { Timer } from '../../../src/kernel/clock.ts'
import type { StoredAlert } from '../../../src/store/alerts/alerts.ts'
import type { AlertFigures } from '../../../src/telemetry/snapshot.ts'
import { isoTime } from '../../../src/text/iso-time.ts'
import { type DoorDeps, DoorError } from './door.ts'

const TICK_MS = 1_000
/** Alerts that end at once because nobody repeats them; the others follow a second later. */
const EXPIRED_AT_ONCE = 1_000
/** A request waits so long for the table after a start. */
const LOAD_WAIT_MS = 5_000
/** Alerts that are read before other work has its turn. */
const SLICE = 64
const HOUR_MS = 3_600_000

type AlertsDeps = Pick<DoorDeps, 'submit' | 'askStorage' | 'clock' | 'log' | 'settings'> & {
  /** False on a replica that does not lead. */
  leads(): boolean
  /** Alerts that fire were sent again. */
  sentAgain(entries: readonly Entry[]): void
  /** Counts resolutions of alerts that do not fire. */
  unknownResolved(times: number): void
}

interface AlertCounts {
  readonly received: { firing: number; resolved: number }
  unchanged: number
  invalid: number
  timedOut: number
  /** Time that the last look at all claims took. */
  lookMs: number
}

export type Alerts = ReturnType<typeof createAlerts>

/**
 * The alerts that senders of the Alertmanager API claim to fire: what is news becomes an incident, everything else stays in
 * memory. Each second it ends what nobody claims any more. On a replica that does not lead it knows nothing.
 */
export function createAlerts({
  submit,
  askStorage,
  clock,
  log,
  settings,
  leads,
  sentAgain,
  unknownResolved,
}: AlertsDeps) {
  const table = new AlertTable()
  const counts: AlertCounts = {
    ...{ received: { firing: 0, resolved: 0 }, unchanged: 0, invalid: 0, timedOut: 0, lookMs: 0 },
  }
  let loading: Promise<void> | undefined
  let isLoaded = false
  let timer: Timer | undefined
  let closed = false

  const moment = (): Moment => ({
    now: clock.now(),
    elapsed: clock.elapsed(),
    resolveTimeoutMs: settings().intake.alertmanager.resolveTimeoutMs,
  })

  /** Reads the alerts that fire from the disk; after a change of the leader anew. */
  async function load(): Promise<void> {
    const stored: StoredAlert[] = []
    let after: string | undefined = ''
    while (after !== undefined) {
      const page: Awaited<ReturnType<typeof askStorage<'alerts'>>> = await askStorage({ kind: 'alerts', after })
      stored.push(...page.alerts)
      after = page.next
    }
    table.clear()
    const at = moment()
    for (const each of stored) {
      try {
        table.load(...loadedOf(each, at, settings().intake.alertmanager.startGraceMs), at)
      } catch (error) {
        // The others must not wait for it.
        log.error({ err: error }, 'an alert on disk could not be read because of a bug')
      }
    }
  }

  function loaded(): Promise<void> {
    if (!leads()) throw new CodedError('peer_down', 'no replica leads at the moment: send it again')
    if (loading !== undefined) return loading
    const now = load().then(
      () => {
        isLoaded = loading === now
      },
      (error) => {
        loading = undefined
        throw error
      },
    )
    loading = now
    return now
  }

  async function whenLoaded(): Promise<void> {
    // Spares nearly all requests a timer.
    if (isLoaded && leads()) return
    const { promise, reject } = Promise.withResolvers<never>()
    const late = clock.setTimer(LOAD_WAIT_MS, () =>
      reject(new DoorError('not_ready', 'the alerts are being read from the disk')),
    )
    try {
      await Promise.race([loaded(), promise])
    } finally {
      late.cancel()
    }
  }

  /** Commits news, loudest first; what inhibits comes before what it inhibits. */
  async function commit(news: News[]): Promise<void> {
    if (news.length === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const release = table.begin(news, promise)
    const facts = { externalURL: settings().publicHost, now: clock.now() }
    news.sort((a, b) => rankOf(a) - rankOf(b))
    try {
      const { id } = await submit(
        { source: 'alertmanager' },
        news.map((each) => payloadOf(each, facts)),
      )
      release()
      table.committed(news, id, moment())
    } catch (error) {
      release()
      table.refused(moment())
      throw error
    } finally {
      resolve()
    }
  }

  async function tick(): Promise<void> {
    try {
      // While the door is off nobody can repeat an alert: none ends, and all have time to come again when it is on.
      if (!leads() || !settings().intake.alertmanager.enable) {
        loading = undefined
        isLoaded = false
        table.clear()
      } else {
        await loaded()
        const at = moment()
        const news = table.expire(at, EXPIRED_AT_ONCE)
        counts.lookMs = clock.elapsed() - at.elapsed
        await commit(news)
        counts.timedOut += news.length
        if (news.length > 0)
          log.info({ alerts: news.length }, 'alerts that no sender reported any more were taken as resolved')
      }
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === undefined) log.error({ err: error }, 'the alerts could not be looked at because of a bug')
    }
    wait()
  }

  /** Returns the alerts of a body, of equal ones the last. Throws BadRequest. */
  async function read(body: unknown) {
    if (!Array.isArray(body)) throw new BadRequest('the body must be a JSON list of alerts')
    const last = new Map<string, PostedAlert>()
    const refused: PostedAlerts['invalid'][number][] = []
    for (let first = 0; first < body.length; first += SLICE) {
      if (first > 0) await nextTurn()
      const { valid, invalid } = readAlerts(body.slice(first, first + SLICE), { first, now: clock.now(), problemOf })
      for (const alert of valid) last.set(alert.problem, alert)
      refused.push(...invalid)
    }
    return { valid: [...last.values()], invalid: refused }
  }

  function wait(): void {
    if (!closed) timer = clock.setTimer(TICK_MS, () => void tick())
  }

  return {
    table,
    counts,
    whenLoaded,
    /**
     * Takes the alerts of one request; resolves with the invalid ones once all news is on disk.
     *
     * @param body parsed JSON
     * @param sender address of the client
     */
    async post(body: unknown, sender: string) {
      await whenLoaded()
      const { valid, invalid } = await read(body)
      const { now } = moment()
      for (const { endsAt = Infinity } of valid) counts.received[endsAt > now ? 'firing' : 'resolved']++
      counts.invalid += invalid.length
      for (;;) {
        const pending = table.pending(valid)
        if (pending.length === 0) break
        await Promise.all(pending)
      }
      const news: News[] = []
      let refused = 0
      for (const [origin, alerts] of Map.groupBy(valid, originOf)) {
        const taken = table.take(alerts, `${origin} ${sender}`, moment(), settings().intake.alertmanager.maxAlerts)
        news.push(...taken.news)
        refused += taken.refused
        counts.unchanged += taken.unchanged
        if (taken.unknownResolved > 0) unknownResolved(taken.unknownResolved)
        sentAgain(taken.again)
      }
      await commit(news)
      if (refused > 0)
        throw new DoorError(
          'alerts_full',
          `${refused} alerts are more than intake.alertmanager.max_alerts allows to fire`,
        )
      return invalid
    },
    figures(): AlertFigures {
      const states = { firing: 0, muted: 0, resolved: 0, committing: 0 }
      for (const { state } of table.entries.values()) states[state]++
      return { ...counts, states }
    },
    /** Returns who claims that the alert of a problem fires; undefined: it does not. */
    claims(problem: string) {
      const entry = table.entries.get(problem)
      if (entry === undefined || entry.state === 'resolved') return undefined
      const { now, elapsed } = moment()
      return entry.claims
        .filter(({ until }) => until > elapsed)
        .map(({ sender, until }) => ({ sender, until: isoTime(now + until - elapsed) }))
    },
    /** A person resolved the problem. */
    mute: (problem: string) => table.mute(problem, moment()),
    start: wait,
    close(): void {
      closed = true
      timer?.cancel()
    },
  }
}

/**
 * A sender is the program that evaluates the rule, at its address. Returns scheme and authority; not by `URL`, which costs
 * more than all else.
 */
const originOf = ({ generatorURL }: PostedAlert) => /^[a-z]+:\/\/[^/?#]{0,255}/i.exec(generatorURL)?.[0] ?? ''

const rankOf = ({ entry: { labels } }: News) => severityRank(labels.severity ?? '')

function loadedOf({ alert, validMs, isResolved }: StoredAlert, { now, elapsed }: Moment, graceMs: number) {
  const [posted] = readAlerts([{ ...alert, endsAt: undefined }], { first: 0, now, problemOf }).valid
  if (posted === undefined) throw new Error('an alert on disk is not valid')
  const endsAt = Date.parse(String(alert.endsAt)) || now
  const leastMs = Math.max(Math.min(validMs, HOUR_MS), graceMs)
  return [posted, { until: elapsed + Math.max(endsAt - now, leastMs), validMs, isMuted: isResolved }] as const
}
