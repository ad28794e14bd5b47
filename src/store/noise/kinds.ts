import type { Status } from '../../domain/incident.ts'
import { severityRank } from '../../domain/severity.ts'
import type { Sql } from '../engine/sql.ts'
import { command, query, withoutNul } from '../engine/statement.ts'

/** The facts of an incident that its problem is counted by. */
export interface KindFacts {
  readonly incident: number
  readonly id: string
  readonly fingerprint: string
  readonly title: string
  readonly service: string
  readonly severity: string
  readonly status: Status
  /** Arrival, epoch milliseconds. */
  readonly createdAt: number
}

/** One row of `bundle_kinds`. */
export interface Kind {
  readonly bundle: number
  readonly fingerprint: string
  title: string
  service: string
  severity: string
  level: number
  firing: number
  resolved: number
  singly_firing: number
  singly_resolved: number
  handed_count: number
  told_count: number
  last_status: Status
  first_incident: number
  first_id: string
  last_incident: number
  last_id: string
  first_at: number
  last_at: number
}

/** An incident is told in a place of the digest, in a message of its own, or in one before the storm. */
type Telling = 'folded' | 'singly' | 'before'

/**
 * Order in which the message and the page of a digest list its problems: those that fire, the loudest, those that no
 * message told of, those with the most incidents, the oldest.
 */
export const LOUDEST_FIRST = `last_status = 'resolved', level, told_count + singly_firing + singly_resolved > 0,
  firing + resolved + singly_firing + singly_resolved DESC, first_incident`

/**
 * Problems of open digests. They are added up in memory and written once for each fingerprint, by `flush`, at the end of
 * the transaction at the latest. Inside `write`.
 */
export interface Kinds {
  /** Returns what a digest knows of a problem; undefined: nothing. */
  find(bundle: number, fingerprint: string): Readonly<Kind> | undefined
  add(bundle: number, facts: KindFacts, telling: Telling): void
  /** Turns an incident that `add` counted as told singly into a place. */
  fold(bundle: number, facts: KindFacts): void
  flush(): void
  /** Forgets a digest that was deleted: the next one may get its number. */
  forget(): void
  /** Records that the next revision covers all places, or that the last one was confirmed. */
  handed(bundle: number): void
  told(bundle: number): void
  /** Forgets what a failed transaction added. */
  rollback(): void
}

const COLUMNS = [
  'bundle',
  'fingerprint',
  'title',
  'service',
  'severity',
  'level',
  'firing',
  'resolved',
  'singly_firing',
  'singly_resolved',
  'handed_count',
  'told_count',
  'last_status',
  'first_incident',
  'first_id',
  'last_incident',
  'last_id',
  'first_at',
  'last_at',
] as const satisfies readonly (keyof Kind)[]

/** Problems that stay in memory from one transaction to the next. */
const MAX_CACHED = 20_000

export function openKinds(db: Sql): Kinds {
  const select = query<Kind>(db, `SELECT ${COLUMNS} FROM bundle_kinds WHERE bundle = ? AND fingerprint = ?`)
  const save = command(
    db,
    `INSERT INTO bundle_kinds (${COLUMNS}) VALUES (${COLUMNS.map(() => '?').join(', ')})
     ON CONFLICT (bundle, fingerprint) DO UPDATE SET ${COLUMNS.slice(2).map((name) => `${name} = excluded.${name}`)}`,
  )
  const handed = command(
    db,
    `UPDATE bundle_kinds SET handed_count = firing + resolved
     WHERE bundle = ? AND handed_count <> firing + resolved`,
  )
  const told = command(
    db,
    'UPDATE bundle_kinds SET told_count = handed_count WHERE bundle = ? AND told_count <> handed_count',
  )
  /** By bundle and fingerprint; undefined: not on disk. */
  const cached = new Map<string, Kind | undefined>()
  const dirty = new Set<Kind>()

  function read(bundle: number, fingerprint: string): Kind | undefined {
    const key = `${bundle} ${fingerprint}`
    const known = cached.get(key)
    if (known !== undefined || cached.has(key)) return known
    const row = select.get(bundle, fingerprint)
    cached.set(key, row)
    return row
  }

  function create(bundle: number, facts: KindFacts): Kind {
    const fingerprint = withoutNul(facts.fingerprint)
    const kind = newKind(bundle, { ...facts, fingerprint })
    cached.set(`${bundle} ${fingerprint}`, kind)
    return kind
  }

  function flush(): void {
    for (const kind of dirty) save.run(...COLUMNS.map((column) => kind[column]))
    dirty.clear()
    if (cached.size > MAX_CACHED) cached.clear()
  }

  function clearAfter(change: { run(bundle: number): unknown }) {
    return (bundle: number) => {
      flush()
      change.run(bundle)
      cached.clear()
    }
  }

  return {
    find: (bundle, fingerprint) => read(bundle, withoutNul(fingerprint)),
    add(bundle, facts, telling) {
      const known = read(bundle, withoutNul(facts.fingerprint))
      const kind = known ?? create(bundle, facts)
      dirty.add(kind)
      if (telling === 'before') return raise(kind, facts)
      if (isUncounted(kind)) begin(kind, facts)
      if (telling === 'folded') kind[facts.status]++
      else kind[`singly_${facts.status}`]++
      heard(kind, facts)
    },
    fold(bundle, facts) {
      const kind = read(bundle, withoutNul(facts.fingerprint)) ?? create(bundle, facts)
      dirty.add(kind)
      kind[`singly_${facts.status}`] = Math.max(0, kind[`singly_${facts.status}`] - 1)
      kind[facts.status]++
      heard(kind, facts)
    },
    flush,
    forget: () => cached.clear(),
    handed: clearAfter(handed),
    told: clearAfter(told),
    rollback() {
      cached.clear()
      dirty.clear()
    },
  }
}

function newKind(bundle: number, facts: KindFacts): Kind {
  const { incident, id, fingerprint, severity, status, createdAt } = facts
  return {
    bundle,
    fingerprint,
    title: withoutNul(facts.title),
    service: withoutNul(facts.service),
    severity: withoutNul(severity),
    level: severityRank(severity),
    firing: 0,
    resolved: 0,
    singly_firing: 0,
    singly_resolved: 0,
    handed_count: 0,
    told_count: 0,
    last_status: status,
    first_incident: incident,
    first_id: id,
    last_incident: incident,
    last_id: id,
    first_at: createdAt,
    last_at: createdAt,
  }
}

const isUncounted = ({ firing, resolved, singly_firing, singly_resolved }: Kind) =>
  firing + resolved + singly_firing + singly_resolved === 0

/** Sets what the first incident of the storm says. */
function begin(kind: Kind, { incident, id, createdAt }: KindFacts): void {
  kind.first_incident = incident
  kind.first_id = id
  kind.first_at = createdAt
  kind.last_at = createdAt
}

function raise(kind: Kind, { severity, status }: KindFacts): void {
  if (status === 'firing') kind.level = Math.min(kind.level, severityRank(severity))
}

/** The latest incident gives the problem its words; the loudest its level. */
function heard(kind: Kind, facts: KindFacts): void {
  const { incident, id, title, service, severity, status, createdAt } = facts
  raise(kind, facts)
  kind.first_at = Math.min(kind.first_at, createdAt)
  kind.last_at = Math.max(kind.last_at, createdAt)
  if (incident < kind.last_incident) return
  kind.last_incident = incident
  kind.last_id = id
  kind.last_status = status
  kind.title = withoutNul(title)
  kind.service = withoutNul(service)
  kind.severity = withoutNul(severity)
}
