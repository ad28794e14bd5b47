import { severityRank } from '../../../domain/severity.ts'
import type { Bundle } from '../../../policy/bundles/bundle-state.ts'
import type { StoreContext } from '../../engine/context.ts'
import { openOverlay } from '../../engine/overlay.ts'
import { withoutNul } from '../../engine/statement.ts'
import type { BundleRow, BundleRows } from '../rows.ts'
import { emptySummary, type Summary, summarize } from './summary.ts'
import { placesOf, type Tally, type TallyFacts, toldOf } from './tally.ts'

/** An incident is told in a place of the digest, in a message of its own, or in one before the storm. */
type Telling = 'folded' | 'singly' | 'before'
/** The digest, with its numbers before the incident. */
type Digest = Pick<BundleRow, 'id'> & { readonly bundle: Pick<Bundle, 'handed' | 'told'> }

const COLUMNS = [
  ...(['bundle', 'problem', 'fingerprint', 'title', 'service', 'severity', 'level', 'ended', 'counted'] as const),
  ...(['firing', 'resolved', 'singly_firing', 'singly_resolved', 'told', 'prior', 'hand'] as const),
  ...(['first_incident', 'first_id', 'last_incident', 'last_id', 'first_at', 'last_at'] as const),
] satisfies readonly (keyof Tally)[]

/** Order in which the message and the page of a digest list its problems. */
const LOUDEST_FIRST = 'ended, level, counted DESC, first_incident'
/** Problems that `firing` returns at most. */
const FIRING = 64
/** Problems that stay in memory from one transaction to the next. */
const CACHED = 20_000

/**
 * Problems of digests. A turn adds them up in memory; `flush` writes each once, and changes the summaries of their digests.
 * Inside `write`, except `loudest`.
 */
export type Tallies = ReturnType<typeof openTallies>

export function openTallies(
  { db, counts, caches }: Pick<StoreContext, 'db' | 'counts' | 'caches'>,
  bundles: Pick<BundleRows, 'find' | 'set'>,
) {
  const one = db.query<Tally>(`SELECT ${COLUMNS} FROM tallies WHERE bundle = ? AND problem = ?`)
  const some = (bundle: number) =>
    db.queryList<Tally>(
      (places) => `SELECT ${COLUMNS} FROM tallies WHERE bundle = ${bundle} AND problem IN (${places})`,
    )
  const firing = db.query<Pick<Tally, 'problem' | 'fingerprint'>>(
    `SELECT problem, fingerprint FROM tallies WHERE bundle = ? AND ended = 0 AND problem <> ? LIMIT ${FIRING}`,
  )
  const loudest = db.query<Tally>(
    `SELECT ${COLUMNS} FROM tallies WHERE bundle = ? AND counted > 0 ORDER BY ${LOUDEST_FIRST} LIMIT ?`,
  )
  const save = db.command(`INSERT INTO tallies (${COLUMNS}) VALUES (${COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT (bundle, problem) DO UPDATE SET ${COLUMNS.slice(2).map((name) => `${name} = excluded.${name}`)}`)
  const rows = openOverlay<string, Tally>(caches, {
    read(key) {
      const [bundle, problem] = key.split(' ').map(Number) as [number, number]
      return one.get(bundle, problem)
    },
    max: CACHED,
  })

  /** A problem has the number of its first incident; of one that is being applied no digest knows. */
  function find(bundle: number, { problem, incident }: Pick<TallyFacts, 'problem' | 'incident'>): Tally | undefined {
    const key = keyOf(bundle, problem)
    return problem === incident && incident > counts.appliedUpTo && !rows.has(key) ? undefined : rows.find(key)
  }

  function put(tally: Tally, isNew: boolean): void {
    const key = keyOf(tally.bundle, tally.problem)
    if (isNew) rows.add(key, tally)
    else rows.set(key, tally)
  }

  return {
    /** Returns what a digest knows of a problem; undefined: nothing. */
    find,
    add(digest: Digest, facts: TallyFacts, telling: Telling): void {
      const known = find(digest.id, facts)
      const was = known ?? begun(digest.id, facts)
      if (telling === 'before') return put({ ...was, level: levelWith(was, facts) }, known === undefined)
      const began = was.counted > 0 ? was : { ...was, ...firstOf(facts) }
      const placed = telling === 'folded' ? withPlace(began, digest, facts) : withSingle(began, facts, 1)
      put(heard(placed, facts), known === undefined)
    },
    /** Turns an incident that `add` counted as told singly into a place. */
    fold(digest: Digest, facts: TallyFacts): void {
      const known = find(digest.id, facts)
      const was = known ?? begun(digest.id, facts)
      put(heard(withPlace(withSingle(was, facts, -1), digest, facts), facts), known === undefined)
    },
    /** Returns problems but one of which the latest incident fires, as they are on disk. */
    firing: (bundle: number, except: number) => firing.all(bundle, except),
    /** A problem ended without an incident. */
    ended(bundle: number, problem: number): void {
      const tally = rows.find(keyOf(bundle, problem))
      if (tally !== undefined) put({ ...tally, ended: 1 }, false)
    },
    flush(): void {
      const summaries = new Map<number, Summary>()
      rows.flush((tally, disk) => {
        save.run(...COLUMNS.map((column) => tally[column]))
        const row = bundles.find(tally.bundle)
        if (row === undefined) return
        const summary = summaries.get(row.id) ?? structuredClone(row.summary ?? emptySummary())
        summaries.set(row.id, summary)
        summarize(summary, { disk, tally, told: row.bundle.told })
      })
      for (const [id, summary] of summaries) {
        const row = bundles.find(id)
        if (row !== undefined) bundles.set({ ...row, summary })
      }
    },
    /** Returns the problems that a digest lists first, as they are on disk. */
    loudest: (bundle: number, limit: number): Tally[] => loudest.all(bundle, limit),
    /** Returns these problems, as they are on disk. */
    some: (bundle: number, problems: readonly number[]): Tally[] => some(bundle)(problems),
    /** The tallies of a digest were deleted: the next one may get its number. */
    forget: rows.forget,
  }
}

const keyOf = (bundle: number, problem: number) => `${bundle} ${problem}`

function begun(bundle: number, facts: TallyFacts): Tally {
  const { incident, id, problem, severity, status } = facts
  return {
    ...{ bundle, problem, fingerprint: withoutNul(facts.fingerprint), ...wordsOf(facts) },
    ...{ level: severityRank(severity), ended: status === 'resolved' ? 1 : 0, counted: 0, firing: 0, resolved: 0 },
    ...{ singly_firing: 0, singly_resolved: 0, told: 0, prior: 0, hand: 0 },
    ...{ ...firstOf(facts), last_incident: incident, last_id: id },
  }
}

const wordsOf = ({ title, service, severity }: TallyFacts) => ({
  ...{ title: withoutNul(title), service: withoutNul(service), severity: withoutNul(severity) },
})

/** What the first incident of the storm says. */
const firstOf = ({ incident, id, createdAt }: TallyFacts) => ({
  ...{ first_incident: incident, first_id: id, first_at: createdAt, last_at: createdAt },
})

const levelWith = ({ level }: Tally, { severity, status }: TallyFacts) =>
  status === 'firing' ? Math.min(level, severityRank(severity)) : level

function withSingle(was: Tally, { status }: TallyFacts, by: 1 | -1): Tally {
  const singles = Math.max(0, was[`singly_${status}`] + by)
  return { ...was, [`singly_${status}`]: singles, counted: was.counted + singles - was[`singly_${status}`] }
}

function withPlace(was: Tally, { bundle: { handed, told } }: Digest, { status }: TallyFacts): Tally {
  const next = { ...was, [status]: was[status] + 1, counted: was.counted + 1 }
  return was.hand === handed ? next : { ...next, told: toldOf(was, told), prior: placesOf(was), hand: handed }
}

/** The latest incident gives the problem its words; the loudest its level. */
function heard(was: Tally, facts: TallyFacts): Tally {
  const { incident, id, status, createdAt } = facts
  const at = { first_at: Math.min(was.first_at, createdAt), last_at: Math.max(was.last_at, createdAt) }
  const next = { ...was, level: levelWith(was, facts), ...at }
  if (incident < was.last_incident) return next
  return { ...next, ...wordsOf(facts), last_incident: incident, last_id: id, ended: status === 'resolved' ? 1 : 0 }
}
