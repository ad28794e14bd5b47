import type { MessageDispatch } from '../../domain/delivery/dispatch.ts'
import type { Repeats } from '../../domain/repeats.ts'
import { withoutNul } from '../engine/statement.ts'
import type { StoreParts } from '../parts.ts'
import type { GroupNotes } from './group-notes.ts'
import type { BundleRow, BundleRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'

interface Ending {
  readonly code: number
  readonly incident: number
  readonly id: string
  readonly fingerprint: string
  readonly status: 'firing' | 'resolved'
  /** Epoch milliseconds. */
  readonly committedAt: number
}

/** What a message says besides its incident. */
type MessageNotes = Pick<MessageDispatch, 'repeats' | 'group' | 'inReplyTo'>

interface NoteDeps {
  readonly rules: RepeatRules
  readonly rows: Pick<BundleRows, 'answeredBy' | 'taking' | 'startedBy'>
  readonly groupNotes: Pick<GroupNotes, 'ofAnswer'>
}

/** What messages say of the repeats of a problem. */
export type RepeatNotes = ReturnType<typeof openNotes>

export function openNotes({ db, counts, problems }: StoreParts, { rules, rows, groupNotes }: NoteDeps) {
  const last = db.query<{ created_at: number }>(`SELECT i.created_at FROM dispatches d CROSS JOIN incidents i
     WHERE i.seq = d.incident AND d.bundle = ? ORDER BY d.place DESC LIMIT 1`)

  /** The problem may fire again, or be forgotten, before its end is told. */
  function ofAnswer({ code, incident, committedAt: until }: Ending): Repeats | undefined {
    if ((counts.bundles.get(code)?.untold ?? 0) === 0) return undefined
    const bundle = rows.answeredBy(code, incident)?.bundle
    return bundle && { count: bundle.folded + 1, since: bundle.since, until, over: true }
  }

  function ofEnding(ending: Ending): Repeats | undefined {
    if (rules.mode === 'each') return ofAnswer(ending)
    const problem = problems.find(withoutNul(ending.fingerprint))
    if (problem?.resolvedBy !== ending.id || problem.endedBy !== 'sender') return ofAnswer(ending)
    const { firing: count, openedAt: since, since: until } = problem
    return count === 0 ? undefined : { count, since, until, over: true }
  }

  function ofBundle({ id, subject, firing, bundle: { kind, state: is, since, folded } }: BundleRow): Repeats {
    const problem = subject === null ? undefined : problems.find(subject)
    const until = last.get(id)?.created_at ?? problem?.lastAt ?? since
    if (kind === 'flapping') {
      const flapping = { firing, resolved: folded - firing, state: problem?.state ?? 'resolved' } as const
      return { count: folded, since, until, over: is !== 'open', flapping }
    }
    if (problem?.openedAt !== since) return { count: folded + 1, since, until, over: false }
    const over = problem.state === 'resolved'
    return { count: problem.firing, since, until: over ? problem.since : until, over }
  }

  return {
    /** For a revision, which covers all places of the bundle. */
    ofBundle,
    /** For a message that is edited: what its revisions say, also when they are over. */
    ofCopy(copy: Pick<Ending, 'code' | 'incident' | 'fingerprint'> & { readonly messageId: string }): MessageNotes {
      const { code, incident, messageId } = copy
      const fingerprint = withoutNul(copy.fingerprint)
      const row =
        rows.taking(code, fingerprint) ??
        (counts.bundles.has(code) ? rows.startedBy(code, incident, 'repeats') : undefined)
      if (row && (row.firstIncident === incident || row.messageId === messageId)) return { repeats: ofBundle(row) }
      const problem = problems.find(fingerprint)
      if (rules.mode === 'each' || problem?.opening !== incident || problem.firing < 2) return {}
      const { firing: count, openedAt: since, state, lastAt } = problem
      const over = state === 'resolved'
      return { repeats: { count, since, until: over ? problem.since : lastAt, over } }
    },
    /** For the message of an incident: only one that ends its problem, or its group, says something. */
    ofMessage(ending: Ending): MessageNotes | undefined {
      if (ending.status === 'firing') return undefined
      const ofGroup = groupNotes.ofAnswer(ending.code, ending.incident)
      if (ofGroup !== undefined) return ofGroup
      const repeats = ofEnding(ending)
      return repeats && { repeats }
    },
  }
}
