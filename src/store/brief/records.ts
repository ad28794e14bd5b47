import type { ChangeRecord, NoteRecord } from '../../api/brief.ts'
import { isoTime } from '../../text/iso-time.ts'
import { withoutNul } from '../engine/statement.ts'
import type { StoreParts } from '../parts.ts'
import type { OpeningReads } from './reads.ts'

/** Notes of one fingerprint that are kept. */
const NOTES_OF_ONE = 50
const MAX_CHANGES = 100

/** A note to write. `problem`: its number. */
export interface NewNote {
  readonly problem: number
  readonly by: string
  readonly text: string
}

/** A change to store. `key`: the sender's id of it; `at`: epoch milliseconds. */
export type NewChange = Omit<ChangeRecord, 'id' | 'at'> & { readonly at: number; readonly key: string | null }

/** Opens notes of people, and changes that senders tell of. Inside `write`, except the reads. */
export function openBriefRecords({ db, now, problems }: StoreParts, reads: Pick<OpeningReads, 'notes'>) {
  const addNote = db.query<{ id: number }>(
    'INSERT INTO notes (fingerprint, at, actor, text) VALUES (?, ?, ?, ?) RETURNING id',
  )
  const removeOlder = db.command(
    `DELETE FROM notes WHERE id IN (SELECT id FROM notes WHERE fingerprint = ? ORDER BY id DESC LIMIT 100 OFFSET ${NOTES_OF_ONE})`,
  )
  const removeNote = db.change('DELETE FROM notes WHERE id = ?')
  const known = db.query<{ id: number }>('SELECT id FROM changes WHERE key = ?')
  const addChange = db.query<{ id: number }>(
    'INSERT INTO changes (key, at, service, kind, summary, link) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
  )
  const changes = db.query<Omit<ChangeRecord, 'at'> & { readonly at: number }>(
    `SELECT id, at, service, kind, summary, link FROM changes ORDER BY at DESC, id DESC LIMIT ${MAX_CHANGES}`,
  )
  const notesOf = (fingerprint: string): NoteRecord[] => reads.notes([fingerprint], NOTES_OF_ONE, problems.numberOf)
  return {
    reads: {
      /** Undefined: no problem has the number. */
      notes(problem: number): readonly NoteRecord[] | undefined {
        const fingerprint = problems.numbered(problem)?.fingerprint
        return fingerprint === undefined ? undefined : notesOf(fingerprint)
      },
      changes: (): readonly ChangeRecord[] => changes.all().map((row) => ({ ...row, at: isoTime(row.at) })),
    },
    actions: {
      /** Returns the note; undefined: no problem has the number. */
      addNote({ problem, by, text }: NewNote): NoteRecord | undefined {
        const fingerprint = problems.numbered(problem)?.fingerprint
        if (fingerprint === undefined) return undefined
        addNote.get(fingerprint, now(), withoutNul(by), withoutNul(text))
        removeOlder.run(fingerprint)
        return notesOf(fingerprint)[0]
      },
      removeNote: (id: number): boolean => removeNote.run(id) > 0,
      /** Returns its number, and whether it is new. */
      addChange({ key, at, service, kind, summary, link }: NewChange) {
        const earlier = key === null ? undefined : known.get(withoutNul(key))
        if (earlier !== undefined) return { ...earlier, isNew: false }
        const texts = [service, kind, summary, link].map(withoutNul)
        const { id = 0 } = addChange.get(key && withoutNul(key), at, ...texts) ?? {}
        return { id, isNew: true }
      },
    },
  }
}
