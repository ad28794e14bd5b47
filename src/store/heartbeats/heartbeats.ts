import type { Subject } from '../../policy/fields.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Heartbeat } from '../engine/counts.ts'
import type { HeartbeatPort, HeartbeatState, NamedPing } from '../ports/heartbeats.ts'
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
  started,
} from './beat.ts'
import { openLastPings } from './last-pings.ts'
import { openHeartbeatRows } from './rows.ts'
import type { HeartbeatRule, HeartbeatRules } from './rules.ts'

/**
 * Heartbeats: incidents or pings that must come again and again; `beat.ts` has their states. The time of silence is measured
 * by the monotonic clock, so a wall clock that is set changes nothing. It begins again at each start: signs of life may have
 * been lost while the service was down. A time of `cron` goes by the wall clock.
 */
export interface Heartbeats extends Omit<HeartbeatPort, 'stayAlive'> {
  /** Begins a turn: forgets what a failed transaction heard. */
  begin(): void
  /** Records the heartbeats that an incident is a sign of life of. Inside `write`, as all but `owed`, `states`, `outputOf`. */
  hear(subject: Subject, committedAt: number): void
  /** A request with a key of `owed` is applied. */
  raised(key: string): void
  /** Ends a turn: writes what was heard, once for each heartbeat. */
  end(): void
  /** Reads the states from disk, for the opening. */
  load(): void
  /** Returns true when `beAlive` is due. */
  isAliveDue(): boolean
  beAlive(): void
}

/** An Idempotency-Key of a webhook cannot hold a space. */
const KEY = /^heartbeat (firing|resolved) (\d+) (.+)$/

/** Time between two notes that the service is up: with what is written anyway, and without. */
const ALIVE_MS = 10_000
const ALIVE_AT_LEAST_MS = 60_000

export function openHeartbeats(context: StoreContext, rules: HeartbeatRules, elapsed: () => number): Heartbeats {
  const { db, counts, now } = context
  const rows = openHeartbeatRows(db)
  const last = openLastPings()
  const dirty = new Set<string>()
  const alive = openAlive(rows, now)
  const moment = (at = now()): Moment => ({ at, elapsed: elapsed() })

  function set(name: string, heartbeat: Heartbeat | undefined): void {
    if (heartbeat === undefined) counts.heartbeats.delete(name)
    else counts.heartbeats.set(name, heartbeat)
    dirty.add(name)
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
    if (rules.of.size > 0 && alive.ageMs() >= ALIVE_MS) beAlive()
  }

  /** After a time in which nothing was heard, by the wall clock, what was due in it may not be judged. */
  function beAlive(): void {
    const from = alive.at()
    if (alive.ageMs() < 0)
      each((name, heartbeat, rule) => change(name, heartbeat, afterSetBack(heartbeat, rule, moment())))
    if (alive.ageMs() >= DOWN_MS)
      each((name, heartbeat, rule) => change(name, heartbeat, afterDowntime(heartbeat, rule, from, moment())))
    write()
    alive.write()
  }

  function each(visit: (name: string, heartbeat: Heartbeat, rule: HeartbeatRule) => void): void {
    for (const [name, rule] of rules.of) {
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat !== undefined) visit(name, heartbeat, rule)
    }
  }

  function change(name: string, before: Heartbeat, after: Heartbeat | undefined): void {
    if (before !== after) set(name, after)
  }

  function ping(one: NamedPing): boolean {
    const rule = rules.of.get(one.heartbeat)
    const before = counts.heartbeats.get(one.heartbeat)
    if (rule === undefined || before === undefined) return false
    change(one.heartbeat, before, afterPing(before, rule, moment(one.at), one))
    return true
  }

  function load(): void {
    const known = rows.read()
    for (const [name, stored] of known) {
      if (rules.of.has(name)) continue
      if (stored.missingSince === undefined) rows.forget(name)
      else counts.heartbeats.set(name, { ...begun(NEVER, moment(), stored), left: rows.severityOf(name) })
    }
    for (const [name, rule] of rules.of) {
      const stored = known.get(name)
      set(name, begun(rule, moment(), stored ?? {}))
      // New times count from now on, also after the next start.
      if (stored?.cron === rule.cron && (stored?.judgedThrough !== undefined || rule.times === undefined))
        dirty.delete(name)
    }
    if (rules.of.size === 0) return
    alive.load()
    beAlive()
  }

  const known = (lateMs: number): Moment => ({ at: now() - lateMs, elapsed: elapsed() - lateMs })
  return {
    begin: () => dirty.clear(),
    hear(subject, committedAt) {
      if (!rules.listens) return
      for (const name of rules.signsOfLife(subject)) {
        const heartbeat = counts.heartbeats.get(name)
        const rule = rules.of.get(name)
        if (heartbeat !== undefined && rule !== undefined) set(name, heard(heartbeat, rule, moment(committedAt)))
      }
    },
    raised(key) {
      const [, status, since, name = ''] = KEY.exec(key) ?? []
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat === undefined || (status !== 'firing' && status !== 'resolved')) return
      change(name, heartbeat, applied(heartbeat, rules.of.get(name), { status, since: Number(since) }, now()))
    },
    ping(pings) {
      dirty.clear()
      const found = pings.map(ping)
      for (const [at, one] of pings.entries()) if (found[at]) last.set(one)
      end()
      return found
    },
    end,
    load,
    isAliveDue: () => rules.of.size > 0 && (alive.ageMs() >= ALIVE_AT_LEAST_MS || alive.ageMs() < 0),
    beAlive,
    outputOf: last.outputOf,
    pingCounts: last.counts,
    owed: (lateMs) =>
      Array.from(counts.heartbeats, ([name, one]) => owedBy(name, one, rules.of.get(name), known(lateMs)) ?? []).flat(),
    states: () =>
      Array.from(counts.heartbeats, ([name, one]) =>
        one.left === undefined
          ? [{ ...stateOf(one, rules.of.get(name), moment()), name, lastPing: last.of(name) }]
          : [],
      ).flat(),
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

function stateOf(heartbeat: Heartbeat, rule: HeartbeatRule | undefined, { at, elapsed }: Moment) {
  const { heardAt, missingSince, why, dueMs, dueAt, startedAt, lastRunMs, skippedAt } = heartbeat
  const isDown = !beats(heartbeat)
  const due = rule?.times === undefined ? at + dueMs - elapsed : dueAt
  const isSkipped = skippedAt !== undefined && skippedAt >= (heardAt ?? 0)
  return {
    state: isDown ? STATES[why?.kind ?? 'silence'] : missingSince === undefined ? 'beating' : 'back',
    heardAt: heardAt ?? null,
    missingSince: missingSince ?? null,
    why: isDown ? (why ?? { kind: 'silence' }) : null,
    dueAt: isDown || due === Infinity ? null : due,
    runningSince: startedAt ?? null,
    lastRunMs: lastRunMs ?? null,
    notJudgedAt: isSkipped ? skippedAt : null,
  } satisfies Omit<HeartbeatState, 'name' | 'lastPing'>
}

/** When the service was certainly up, as it is on disk. A later time that was rolled back is written again soon. */
function openAlive(rows: ReturnType<typeof openHeartbeatRows>, now: () => number) {
  let aliveAt = now()
  return {
    at: () => aliveAt,
    ageMs: () => now() - aliveAt,
    load(): void {
      aliveAt = rows.aliveAt() ?? now()
    },
    write(): void {
      aliveAt = now()
      rows.setAlive(aliveAt)
    },
  }
}
