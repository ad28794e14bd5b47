import type { Subject } from '../../policy/fields.ts'
import type { SignsOfLife } from '../../policy/heartbeat.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Heartbeat } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { HeartbeatPort, HeartbeatState, OwedIncident } from '../ports/heartbeats.ts'

export interface HeartbeatRules {
  /** Time without a sign of life after which a heartbeat is missing, by name: its period and its grace. */
  readonly silenceMs: ReadonlyMap<string, number>
  readonly signsOfLife: SignsOfLife
}

export const NO_HEARTBEATS: HeartbeatRules = { silenceMs: new Map(), signsOfLife: () => [] }

/**
 * Heartbeats: incidents that must come again and again. States:
 *
 *     beating   leaves to missing, when the incident of its silence is applied
 *     missing   leaves to back with a sign of life
 *     back      leaves to beating, when the resolution of that incident is applied
 *     left      left the configuration while missing or back; forgotten when that resolution is applied
 *
 * The time of silence is measured by the monotonic clock, so a wall clock that is set changes nothing. It begins again
 * at each start: signs of life may have been lost while the service was down.
 */
export interface Heartbeats extends HeartbeatPort {
  /** Begins a turn: forgets what a failed transaction heard. */
  begin(): void
  /** Records the heartbeats that an incident is a sign of life of. Inside `write`, as all but the port's. */
  hear(subject: Subject, committedAt: number): void
  /** A request with a key of `owed` is applied. */
  raised(key: string): void
  /** Ends a turn: writes what was heard, once for each heartbeat. */
  end(): void
  /** Reads the states from disk, for the opening. */
  load(): void
}

/** Of the incident of a heartbeat that left the configuration, when neither that nor its problem is stored any more. */
const UNKNOWN_SEVERITY = 'critical'

/** An Idempotency-Key of a webhook cannot hold a space. */
const KEY = /^heartbeat (firing|resolved) (\d+) (.+)$/

export function openHeartbeats(context: StoreContext, rules: HeartbeatRules, elapsed: () => number): Heartbeats {
  const { db, counts, now } = context
  const { silenceMs, signsOfLife } = rules
  const save = command(
    db,
    `INSERT INTO heartbeats (name, heard_at, missing_since, back) VALUES (?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET heard_at = excluded.heard_at, missing_since = excluded.missing_since, back = excluded.back`,
  )
  const rows = query<{ name: string; heard_at: number | null; missing_since: number | null; back: number }>(
    db,
    'SELECT name, heard_at, missing_since, back FROM heartbeats',
  )
  const severities = ['incidents', 'problems'].map((table) =>
    query<{ severity: string }>(db, `SELECT severity FROM ${table} WHERE source = 'heartbeat' AND service = ? LIMIT 1`),
  )
  const forget = command(db, 'DELETE FROM heartbeats WHERE name = ?')
  const dirty = new Set<string>()

  function set(name: string, heartbeat: Heartbeat): void {
    counts.heartbeats.set(name, heartbeat)
    dirty.add(name)
  }

  function write(): void {
    for (const name of dirty) {
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat === undefined) forget.run(name)
      else save.run(name, heartbeat.heardAt ?? null, heartbeat.missingSince ?? null, heartbeat.back ? 1 : 0)
    }
    dirty.clear()
  }

  /** Returns the key of the incident that the heartbeat has to raise next; undefined: none. */
  function owedKey(name: string, heartbeat: Heartbeat, lateMs: number): OwedIncident | undefined {
    const { missingSince, back, heardAt, left } = heartbeat
    const of = (status: OwedIncident['status'], since: number): OwedIncident => ({
      name,
      status,
      since,
      heardAt: heardAt ?? null,
      key: `heartbeat ${status} ${since} ${name}`,
      ...(left !== undefined && { left }),
    })
    if (missingSince !== undefined) return back || left !== undefined ? of('resolved', missingSince) : undefined
    return heartbeat.dueMs <= elapsed() - lateMs ? of('firing', heartbeat.dueAt) : undefined
  }

  return {
    begin: () => dirty.clear(),
    hear(subject, committedAt) {
      if (silenceMs.size === 0) return
      for (const name of signsOfLife(subject)) {
        const heartbeat = counts.heartbeats.get(name)
        const ms = silenceMs.get(name)
        if (heartbeat === undefined || ms === undefined) continue
        const back = heartbeat.missingSince !== undefined
        const due = { dueMs: elapsed() + ms, dueAt: committedAt + ms }
        set(name, { ...heartbeat, ...due, heardAt: committedAt, back })
      }
    },
    raised(key) {
      const [, status, since, name = ''] = KEY.exec(key) ?? []
      const heartbeat = counts.heartbeats.get(name)
      if (heartbeat === undefined) return
      const { missingSince, ...rest } = heartbeat
      if (status === 'firing' && missingSince === undefined)
        set(name, { ...rest, missingSince: Number(since), back: (rest.heardAt ?? 0) >= Number(since) })
      if (status !== 'resolved' || missingSince !== Number(since)) return
      if (heartbeat.left === undefined) return set(name, { ...rest, back: false })
      counts.heartbeats.delete(name)
      dirty.add(name)
    },
    end: write,
    load() {
      const known = new Map(rows.all().map((row) => [row.name, row]))
      for (const { name, missing_since: missingSince, back } of known.values()) {
        if (silenceMs.has(name)) continue
        const left = severities.map((of) => of.get(name)?.severity).find(Boolean) ?? UNKNOWN_SEVERITY
        if (missingSince === null) forget.run(name)
        else counts.heartbeats.set(name, { left, missingSince, back: back === 1, dueMs: Infinity, dueAt: Infinity })
      }
      for (const [name, ms] of silenceMs) {
        const { heard_at = null, missing_since = null, back = 0 } = known.get(name) ?? {}
        counts.heartbeats.set(name, {
          dueMs: elapsed() + ms,
          dueAt: now() + ms,
          back: back === 1,
          ...(heard_at !== null && { heardAt: heard_at }),
          ...(missing_since !== null && { missingSince: missing_since }),
        })
      }
    },
    owed: (lateMs) => Array.from(counts.heartbeats, ([name, each]) => owedKey(name, each, lateMs) ?? []).flat(),
    states: () =>
      Array.from(counts.heartbeats, ([name, { heardAt, missingSince, back, dueMs, left }]): HeartbeatState[] => {
        if (left !== undefined) return []
        const state = missingSince === undefined ? 'beating' : back ? 'back' : 'missing'
        const dueAt = state === 'missing' ? null : now() + dueMs - elapsed()
        return [{ name, state, heardAt: heardAt ?? null, missingSince: missingSince ?? null, dueAt }]
      }).flat(),
  }
}
