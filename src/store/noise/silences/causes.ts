import type { Subject } from '../../../policy/fields.ts'
import type { CompiledSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import type { StoreContext } from '../../engine/context.ts'
import { command, query, withoutNul } from '../../engine/statement.ts'
import type { Payloads } from '../../journal/payloads.ts'
import { type LiveSilence, liveSilences } from './live.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './waiting.ts'

/**
 * Firing problems that keep silences with `while` in force. Memory has the fingerprints, and a row for each makes them
 * outlive a restart and the incidents that fitted. Changes inside `write`.
 */
export interface Causes {
  /** Returns the windows of a silence as its causes allow them: active only while one fires. */
  bound(silence: number, settings: SilenceSettings, compiled: CompiledSilence): CompiledSilence
  /** Follows the newest incident of a problem. Returns whether a cause began or ended. */
  follow(live: LiveSilence, subject: Subject, isFiring: boolean): boolean
  /** Finds the causes of a silence among the problems that fire, all of which are written. */
  find(live: LiveSilence): void
  /** A problem ended without an incident, or was deleted: the next look at its silences is due. */
  ended(fingerprint: string): void
  /** Problems of older incidents changed: causes are to be found again. */
  unknown(): void
  /** The silence has ended. */
  clear(silence: number): void
  rollback(): void
}

interface ProblemRow extends Omit<SubjectRow, 'seq'> {
  /** Null: retention has deleted the incident. */
  readonly seq: number | null
  readonly problem: string
}

export function openCauses({ db, counts, now }: StoreContext, payloads: Pick<Payloads, 'of'>): Causes {
  const all = query<{ silence: number; fingerprint: string }>(db, 'SELECT silence, fingerprint FROM causes')
  const insert = command(db, 'INSERT INTO causes (silence, fingerprint) VALUES (?, ?)')
  const remove = command(db, 'DELETE FROM causes WHERE silence = ? AND fingerprint = ?')
  const clear = command(db, 'DELETE FROM causes WHERE silence = ?')
  const firing = query<ProblemRow>(
    db,
    `SELECT ${SUBJECT_COLUMNS}, p.fingerprint AS problem FROM problems p LEFT JOIN incidents i ON i.seq = p.last_incident WHERE p.state = 0`,
  )
  /** Undefined: to be read. */
  let known: Map<number, Set<string>> | undefined

  function read(): Map<number, Set<string>> {
    const found = new Map<number, Set<string>>()
    for (const { silence, fingerprint } of all.all())
      found.set(silence, (found.get(silence) ?? new Set()).add(fingerprint))
    return found
  }

  function fingerprintsOf(silence: number): Set<string> {
    known ??= read()
    const found = known.get(silence) ?? new Set()
    known.set(silence, found)
    return found
  }

  function set(silence: number, fingerprint: string, isCause: boolean): boolean {
    const fingerprints = fingerprintsOf(silence)
    if (fingerprints.has(fingerprint) === isCause) return false
    if (isCause) {
      fingerprints.add(fingerprint)
      insert.run(silence, fingerprint)
    } else {
      fingerprints.delete(fingerprint)
      remove.run(silence, fingerprint)
    }
    return true
  }

  /** Silences of which something changed are looked at by the next turn. */
  function due(changed: (live: LiveSilence) => Partial<LiveSilence>): void {
    if (counts.silences.causal.length === 0) return
    counts.silences = liveSilences(counts.silences.all.map((live) => ({ ...live, ...changed(live) })))
  }

  return {
    bound(silence, settings, compiled) {
      if (settings.while === undefined) return compiled
      return {
        ...compiled,
        windowAt(at) {
          const { active, until } = compiled.windowAt(at)
          return { active: active && fingerprintsOf(silence).size > 0, until }
        },
      }
    },
    follow({ id, compiled }, subject, isFiring) {
      const fingerprint = withoutNul(subject.fingerprint)
      return set(id, fingerprint, isFiring && compiled.isCause(subject))
    },
    find({ id, compiled }) {
      const ended = new Set(fingerprintsOf(id))
      for (const { seq, problem, ...row } of firing.all()) {
        const isCause = seq === null ? ended.has(problem) : compiled.isCause(subjectOf({ ...row, seq }, payloads))
        set(id, problem, isCause)
        ended.delete(problem)
      }
      for (const fingerprint of ended) set(id, fingerprint, false)
    },
    ended: (fingerprint) =>
      due(({ id, settings }) => (settings.while !== undefined && set(id, fingerprint, false) ? { edgeAt: now() } : {})),
    unknown: () => due(({ settings }) => (settings.while === undefined ? {} : { edgeAt: now(), knowsCauses: false })),
    clear(silence) {
      clear.run(silence)
      known?.delete(silence)
    },
    rollback() {
      known = undefined
    },
  }
}
