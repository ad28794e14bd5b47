import type { Brief, NoteRecord } from '../../api/brief.ts'
import { isoTime } from '../../text/iso-time.ts'
import type { Statements } from '../engine/statement.ts'
import { cutQuote } from './text.ts'

export interface OpeningRow {
  readonly id: number
  readonly problem: number
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly level: number
  readonly opened_at: number
  readonly ended_at: number | null
  readonly ended_by: string | null
  readonly firing: number
  readonly acked_at: number | null
  readonly acked_by: string | null
  readonly words: Uint8Array | null
}

/** Openings of one fingerprint that are looked at. */
const LOOKED_AT = 500
const ALL = Number.MAX_SAFE_INTEGER

/** Opens the reads that several sections share. */
export function openOpeningReads(db: Statements) {
  const one = db.query<OpeningRow>('SELECT * FROM openings WHERE id = ?')
  const before = db.query<OpeningRow>(
    `SELECT * FROM openings WHERE fingerprint = ? AND id < ? ORDER BY id DESC LIMIT ${LOOKED_AT}`,
  )
  const notes = db.query<{ id: number; fingerprint: string; at: number; actor: string; text: string }>(
    'SELECT * FROM notes WHERE fingerprint = ? ORDER BY id DESC LIMIT ?',
  )
  return {
    one: (id: number): OpeningRow | undefined => one.get(id),
    /** Returns those below a number, the newest first. */
    before: (fingerprint: string, id = ALL): OpeningRow[] => before.all(fingerprint, id),
    /** Returns the newest notes of fingerprints. */
    notes(fingerprints: readonly string[], limit: number, numberOf: (of: string) => number | undefined): NoteRecord[] {
      const found = fingerprints.flatMap((of) => notes.all(of, limit))
      return found
        .sort((a, b) => b.id - a.id)
        .slice(0, limit)
        .map(({ actor, at, fingerprint, ...note }) => ({
          ...note,
          ...{ problem: numberOf(fingerprint) ?? null, fingerprint, at: isoTime(at), by: actor },
          text: limit <= 6 ? cutQuote(note.text) : note.text,
        }))
    },
  }
}
export type OpeningReads = ReturnType<typeof openOpeningReads>

/** Returns how many there are, and how long those that ended took. A clock that was set back makes none negative. */
export function summed(rows: readonly OpeningRow[]): Omit<Brief['before'], 'days' | 'openings'> {
  const lengths = rows
    .flatMap(({ opened_at, ended_at }) => (ended_at === null ? [] : [Math.max(0, ended_at - opened_at)]))
    .sort((a, b) => a - b)
  const at = (share: number) => lengths[Math.floor((lengths.length - 1) * share)] ?? null
  return { count: rows.length, shortest_ms: at(0), median_ms: at(0.5), longest_ms: at(1) }
}
