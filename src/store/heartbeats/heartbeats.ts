import { LRUCache } from 'lru-cache'
import type { HeartbeatRecord } from '../../api/noise/heartbeat.ts'
import type { Subject } from '../../policy/fields.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Heartbeat } from '../engine/counts.ts'
import type { Write } from '../engine/transaction.ts'
import type { LastPing, NamedPing, OwedIncident, PingCounts } from '../ports/heartbeats.ts'
import {
  afterDowntime,
  afterSetBack,
  applied,
  beats,
  begun,
  DOWN_MS,
  failed,
  heard,
  type Moment,
  owedBy,
  SILENCE,
  started,
} from './beat.ts'
import { openHeartbeatRows } from './rows.ts'
import type { HeartbeatRule, HeartbeatRules } from './rules.ts'

/** An Idempotency-Key of a webhook cannot hold a space. */
const KEY = /^heartbeat (firing|resolved) (\d+) (.+)$/

/** Time between two notes that the service is up: with what is written anyway, and without. */
const ALIVE_MS = 10_000
const ALIVE_AT_LEAST_MS = 60_000

type Step = (heartbeat: Heartbeat, rule: HeartbeatRule) => Heartbeat

export type Heartbeats = ReturnType<typeof openHeartbeats>
export type HeartbeatState = ReturnType<ReturnType<Heartbeats['port']>['states']>[number]

/**
 * Heartbeats: incidents or pings that must come again and again; `beat.ts` has their states. The time of silence is measured
 * by the monotonic clock, so a wall clock that is set changes nothing. It begins again at each start: signs of life may have
 * been lost while the service was down. A time of `cron` goes by the wall clock.
 */
export function openHeartbeats(context: StoreContext, rules: HeartbeatRules, elapsed: () => number) {
  const { db, counts, now } = context
  const rows = openHeartbeatRows(db)
  const last = openLastPings()
  const dirty = new Set<string>()
  /** When the service was certainly up, as it is on disk. A later time that was rolled back is written again soon. */
  let aliveAt = now()
  const aliveAgeMs = () => now() - aliveAt
  const moment = (at = now()): Moment => ({ at, elapsed: elapsed() })

  function set(name: string, heartbeat: Heartbeat | undefined): void {
    if (heartbeat === undefined) counts.heartbeats.delete(name)
    else counts.heartbeats.set(name, heartbeat)
    dirty.add(name)
  }

  /** Returns false for one that is not configured. */
  function change(name: string, step: Step): boolean {
    const before = counts.heartbeats.get(name)
    const rule = rules.of.get(name)
    if (before === undefined || rule === undefined) return false
    const after = step(before, rule)
    if (after !== before) set(name, after)
    return true
  }

  function changeAll(step: Step): void {
    for (const name of rules.of.keys()) change(name, step)
  }

  function write(): void {
    for (const name of dirty) {
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat === undefined) rows.forget(name)
      else rows.save(name, heartbeat)
    }
    dirty.clear()
  }

  function end(): void {
    write()
    if (rules.of.size > 0 && aliveAgeMs() >= ALIVE_MS) beAlive()
  }

  /** After a time in which nothing was heard, by the wall clock, what was due in it may not be judged. */
  function beAlive(): void {
    const from = aliveAt
    if (aliveAgeMs() < 0) changeAll((heartbeat, rule) => afterSetBack(heartbeat, rule, moment()))
    if (aliveAgeMs() >= DOWN_MS) changeAll((heartbeat, rule) => afterDowntime(heartbeat, rule, from, moment()))
    write()
    aliveAt = now()
    rows.setAlive(aliveAt)
  }

  function ping(pings: readonly NamedPing[]): readonly boolean[] {
    dirty.clear()
    const found = pings.map((one) =>
      change(one.heartbeat, (before, rule) => afterPing(before, rule, moment(one.at), one)),
    )
    for (const [at, one] of pings.entries()) if (found[at]) last.set(one)
    end()
    return found
  }

  const known = (lateMs: number): Moment => ({ at: now() - lateMs, elapsed: elapsed() - lateMs })
  return {
    /** Begins a turn: forgets what a failed transaction heard. */
    begin: () => dirty.clear(),
    /** Records the heartbeats that an incident is a sign of life of. Inside `write`, as the next two. */
    hear(subject: Subject, committedAt: number): void {
      if (!rules.listens) return
      for (const name of rules.signsOfLife(subject))
        change(name, (heartbeat, rule) => heard(heartbeat, rule, moment(committedAt)))
    },
    /** A request with a key of `owed` is applied. */
    raised(key: string): void {
      const [, status, since, name = ''] = KEY.exec(key) ?? []
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat === undefined || (status !== 'firing' && status !== 'resolved')) return
      const after = applied(heartbeat, rules.of.get(name), { status, since: Number(since) }, now())
      if (after !== heartbeat) set(name, after)
    },
    /** Ends a turn: writes what was heard, once for each heartbeat. */
    end,
    /** Reads the states from disk, for the opening. */
    load(): void {
      const stored = rows.read()
      for (const [name, one] of stored) {
        if (rules.of.has(name)) continue
        if (one.missingSince === undefined) rows.forget(name)
        else counts.heartbeats.set(name, { ...begun(NEVER, moment(), one), left: rows.severityOf(name) })
      }
      for (const [name, rule] of rules.of) {
        const one = stored.get(name)
        set(name, begun(rule, moment(), one ?? {}))
        // New times count from now on, also after the next start.
        if (one?.cron === rule.cron && (one?.judgedThrough !== undefined || rule.times === undefined))
          dirty.delete(name)
      }
      if (rules.of.size === 0) return
      aliveAt = rows.aliveAt() ?? now()
      beAlive()
    },
    /** Returns what others ask of heartbeats. Store thread. `ping` and `stayAlive` throw `storage_full`, `storage_down`. */
    port: (transact: Write) => ({
      /** Returns the output of its last ping since the start of the thread; '' when there is none, or others took its place. */
      outputOf: last.outputOf,
      pingCounts: last.counts,
      /** @param lateMs time for which signs of life may wait in the journal */
      owed: (lateMs: number): readonly OwedIncident[] =>
        Array.from(
          counts.heartbeats,
          ([name, one]) => owedBy(name, one, rules.of.get(name), known(lateMs)) ?? [],
        ).flat(),
      states: () =>
        [...counts.heartbeats]
          .filter(([, { left }]) => left === undefined)
          // The last ping since the thread started; null: none yet.
          .map(([name, one]) => ({ ...stateOf(one, rules.of.get(name), moment()), name, lastPing: last.of(name) })),
      /** Records pings in their order; false for one whose heartbeat is not configured. */
      ping: (pings: readonly NamedPing[]) => transact(() => ping(pings)),
      /** Records that the service is up, when that is due. */
      stayAlive(): void {
        if (rules.of.size > 0 && (aliveAgeMs() >= ALIVE_AT_LEAST_MS || aliveAgeMs() < 0)) transact(beAlive)
      },
    }),
  }
}

/** Of a heartbeat that left the configuration: nothing is due. */
const NEVER: HeartbeatRule = { silenceMs: Infinity, graceMs: Infinity, maxRunMs: Infinity }

function afterPing(before: Heartbeat, rule: HeartbeatRule, moment: Moment, ping: NamedPing): Heartbeat {
  switch (ping.signal) {
    case 'success':
      return heard(before, rule, moment, ping.run)
    case 'start':
      return started(before, rule, moment, ping.run)
    case 'failure':
      return failed(before, moment, ping)
    case 'log':
      return before
    default:
      return ping.signal satisfies never
  }
}

const STATES = { silence: 'missing', overrun: 'overrun', failure: 'failed' } as const

/** Times are epoch milliseconds; null: there is none. */
function stateOf(heartbeat: Heartbeat, rule: HeartbeatRule | undefined, { at, elapsed }: Moment) {
  const { heardAt, missingSince, why, dueMs, dueAt, startedAt, lastRunMs, skippedAt } = heartbeat
  const isDown = !beats(heartbeat)
  const due = rule?.times === undefined ? at + dueMs - elapsed : dueAt
  const isSkipped = skippedAt !== undefined && skippedAt >= (heardAt ?? 0)
  const state: HeartbeatRecord['state'] = missingSince === undefined ? 'beating' : 'back'
  return {
    /** `back`: heard again, and the resolution of its incident is not applied yet. */
    state: isDown ? STATES[why?.kind ?? 'silence'] : state,
    heardAt: heardAt ?? null,
    missingSince: missingSince ?? null,
    /** Of one that does not beat. */
    why: isDown ? (why ?? SILENCE) : null,
    /** When it will be missing without another sign of life; null: it does not beat, or nothing is due. */
    dueAt: isDown || due === Infinity ? null : due,
    /** The begin of the run that did not end yet. */
    runningSince: startedAt ?? null,
    lastRunMs: lastRunMs ?? null,
    /** A time that was due while the service was down, and was not judged, since the last sign of life. */
    notJudgedAt: isSkipped ? skippedAt : null,
  }
}

/** Bytes of the outputs of all heartbeats. */
const MAX_BYTES = 10_000_000

/** The last ping of each heartbeat since the start; nothing of it is on disk. */
function openLastPings() {
  const pings = new Map<string, LastPing>()
  const counts = { success: 0, start: 0, failure: 0, log: 0 }
  const outputs = new LRUCache<string, string>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf })
  return {
    set({ heartbeat, signal, exitStatus, at, output = '' }: NamedPing): void {
      counts[signal]++
      pings.set(heartbeat, { signal, exitStatus, at, outputBytes: Buffer.byteLength(output) })
      if (output === '') outputs.delete(heartbeat)
      else outputs.set(heartbeat, output)
    },
    counts: (): PingCounts => ({ ...counts }),
    of: (name: string): LastPing | null => pings.get(name) ?? null,
    outputOf: (name: string): string => outputs.get(name) ?? '',
  }
}

const bytesOf = (text: string) => Math.max(1, Buffer.byteLength(text))
