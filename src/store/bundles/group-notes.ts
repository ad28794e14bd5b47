import { GROUP_PROBLEMS, type GroupNote } from '../../domain/group-note.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { BUNDLE_KIND, KIND } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type BundleRows, isGroup } from './rows.ts'
import type { Summary } from './sums/summary.ts'
import type { Tallies } from './sums/tallies.ts'

interface AnswerRow {
  readonly id: number
  /** JSON. */
  readonly summary: string | null
  /** The provider's id of the message of the group. */
  readonly messageId: string | null
}

interface NoteDeps {
  readonly rows: Pick<BundleRows, 'find' | 'flush'>
  readonly tallies: Pick<Tallies, 'flush' | 'loudest'>
  /** Something is grouped. */
  readonly isEnabled: boolean
}

type NoteFacts = Pick<GroupNote, 'digest' | 'phase' | 'mayRepeat' | 'added'>

/** What messages say of groups. Inside `write`. */
export type GroupNotes = ReturnType<typeof openGroupNotes>

export function openGroupNotes({ db }: StoreContext, { rows, tallies, isEnabled }: NoteDeps) {
  const answered = db.query<AnswerRow>(`SELECT id, summary, coalesce(message_id, (SELECT d.message_id FROM dispatches d
       WHERE d.incident = b.first_incident AND d.kind = ${KIND.delivery} AND d.destination = b.destination AND d.number = 0)) AS "messageId"
     FROM bundles b WHERE answer = ? AND destination = ? AND kind = ${BUNDLE_KIND.group}`)

  function noteOf(
    facts: NoteFacts,
    { levels, problems, stillFiring: firing, firstAt, lastAt }: Summary,
    words?: string,
  ) {
    const listed = tallies.loudest(facts.digest, GROUP_PROBLEMS + 1).filter(({ fingerprint }) => fingerprint !== words)
    return {
      ...{ ...facts, problems, firing, firstAt: firstAt ?? 0, lastAt: lastAt ?? 0 },
      alerts: levels.reduce(
        (sum, level) => sum + level.firing + level.resolved + level.singlyFiring + level.singlyResolved,
        0,
      ),
      shown: listed.slice(0, GROUP_PROBLEMS).map(({ title, service, level, ended }) => ({
        ...{ title, service, level: SEVERITY_LEVELS[level] ?? 'warning' },
        status: ended === 1 ? ('resolved' as const) : ('firing' as const),
      })),
    }
  }

  return {
    /** For a revision. `words`: fingerprint of the incident that it has the words of. Undefined: the group is gone. */
    ofBundle(id: number, { mayRepeat, words }: { mayRepeat: boolean; words: string }): GroupNote | undefined {
      tallies.flush()
      rows.flush()
      const row = rows.find(id)
      if (!isGroup(row) || row.summary === null) return undefined
      const { problems, told } = row.group
      return noteOf({ digest: id, phase: 'open', mayRepeat, added: problems - told }, row.summary, words)
    },
    /** For the message of an incident: only one that ends a group says something, in the thread of the group. */
    ofAnswer(code: number, incident: number): { group: GroupNote; inReplyTo?: string } | undefined {
      if (!isEnabled) return undefined
      tallies.flush()
      rows.flush()
      const row = answered.get(incident, code)
      if (row === undefined || row.summary === null) return undefined
      const group = noteOf({ digest: row.id, phase: 'over', mayRepeat: false, added: 0 }, JSON.parse(row.summary))
      return { group, ...(row.messageId !== null && { inReplyTo: row.messageId }) }
    },
  }
}
