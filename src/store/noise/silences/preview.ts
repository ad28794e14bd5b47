import type { SilencePreview } from '../../../api/noise/silence.ts'
import { severityRank } from '../../../domain/severity.ts'
import { conditionsText } from '../../../policy/describe.ts'
import type { Subject } from '../../../policy/fields.ts'
import { keyOf } from '../../../policy/silences/equal.ts'
import type { CompiledSilence, CompileSilence, SilenceSettings } from '../../../policy/silences/settings.ts'
import { isoTime } from '../../../text/iso-time.ts'
import type { StoreParts } from '../../parts.ts'
import { SUBJECT_COLUMNS, type SubjectRow, subjectOf } from './waiting.ts'

const LOOK_BACK_MS = 24 * 3_600_000
/** Incidents that one preview looks at. */
const MAX_LOOKED_AT = 20_000
/** Milliseconds after which a preview ends: a condition may read each payload, and a server answers for each batch of them. */
const MAX_MS = 500
/** Incidents that one statement reads. */
const PAGE = 1_000
/** Among fewer incidents a share says little, and no silence counts as broad. */
const FEW = 20
const MAX_EXAMPLES = 5

interface PreviewRow extends SubjectRow {
  readonly id: string
  readonly created_at: number
  readonly pages: number
}

interface LookedAt {
  readonly row: PreviewRow
  /** Values, as a text, that a cause has to have to hold it; undefined: it does not fit. */
  readonly heldBy: string | undefined
  /** Values with which it is a cause. */
  readonly causes: readonly string[]
}

/** Values are the same where the silence compares none. */
const ANY = ''

function lookAt(subject: Subject, { equal }: SilenceSettings, compiled: CompiledSilence): Omit<LookedAt, 'row'> {
  if (equal === undefined)
    return { heldBy: compiled.fits(subject) ? ANY : undefined, causes: compiled.isCause(subject) ? [ANY] : [] }
  const shared = compiled.fits(subject) ? compiled.sharedValues(subject) : undefined
  return { heldBy: shared && keyOf(shared), causes: compiled.causeValues(subject).map(keyOf) }
}

/** Opens the effect that a silence would have had on the incidents of the last 24 hours. */
export function openPreview({ db, now, elapsed, payloads }: StoreParts, compile: CompileSilence) {
  const newest = db.query<PreviewRow>(
    `SELECT ${SUBJECT_COLUMNS}, i.id, i.created_at, CASE WHEN i.page IS NULL THEN 0 ELSE 1 END AS pages
     FROM incidents i WHERE i.seq < ? ORDER BY i.seq DESC LIMIT ${PAGE}`,
  )

  /** Yields the newest incidents since a time: at most 20,000, and for half a second. */
  function* since(from: number): Generator<PreviewRow> {
    let before = Number.MAX_SAFE_INTEGER
    const until = elapsed() + MAX_MS
    for (let read = 0; read < MAX_LOOKED_AT; read += PAGE)
      for (const row of newest.all(before)) {
        if (row.created_at < from || elapsed() >= until) return
        yield row
        before = row.seq
      }
  }

  /**
   * Returns those that come while a cause fires, as incidents alone tell it: not what fired before, and no end by quiet.
   * Of an incident `seq` ascends with time.
   */
  function caused(looked: readonly LookedAt[]) {
    const firing = new Map<string, readonly string[]>()
    const isHeld = (by: string) => [...firing.values()].some((values) => values.includes(by))
    const causes = new Set<string>()
    const held: PreviewRow[] = []
    for (const { row, heldBy, causes: values } of looked.toReversed()) {
      const { fingerprint } = row
      if (values.length > 0 && row.status === 'firing') firing.set(fingerprint, values)
      else firing.delete(fingerprint)
      if (firing.has(fingerprint)) causes.add(fingerprint)
      if (heldBy !== undefined && isHeld(heldBy)) held.push(row)
    }
    return { held: held.toReversed(), causes: causes.size }
  }

  return function preview(settings: SilenceSettings): SilencePreview {
    const compiled = compile(settings)
    const { windowAt } = compiled
    const hasCauses = settings.while !== undefined
    let [lookedAt, oldest] = [0, now()]
    const looked: LookedAt[] = []
    for (const row of since(now() - LOOK_BACK_MS)) {
      lookedAt++
      oldest = Math.min(oldest, row.created_at)
      const subject = subjectOf(row, payloads)
      const found = { row, ...lookAt(subject, settings, compiled) }
      if (found.heldBy !== undefined || hasCauses) looked.push(found)
    }
    const { held: fitting, causes } = hasCauses ? caused(looked) : { held: looked.map(({ row }) => row), causes: 0 }
    const { active, until } = windowAt(now())
    const startsAt = hasCauses ? Infinity : active ? now() : until
    return {
      text: conditionsText({ conditions: settings.conditions }),
      since: isoTime(oldest),
      looked_at: lookedAt,
      incidents: fitting.length,
      problems: new Set(fitting.map(({ fingerprint }) => fingerprint)).size,
      criticals: fitting.filter(({ severity, status }) => status === 'firing' && severityRank(severity) === 0).length,
      pages: fitting.filter(({ pages }) => pages === 1).length,
      causes,
      broad: lookedAt >= FEW && fitting.length * 2 > lookedAt,
      examples: fitting.slice(0, MAX_EXAMPLES).map(({ id, title, severity }) => ({ incident_id: id, title, severity })),
      starts_at: Number.isFinite(startsAt) ? isoTime(startsAt) : null,
      ends_at: Number.isFinite(startsAt) ? isoTime(windowAt(startsAt).until) : null,
    }
  }
}
