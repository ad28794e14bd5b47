import type { Bundle, BundleKind } from '../../policy/bundles/bundle-state.ts'
import { BUNDLE_KIND, BUNDLE_STATE, bundleKindName, bundleStateName } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import { openOverlay, openUndoMap } from '../engine/overlay.ts'
import type { Parameter } from '../engine/sql.ts'
import type { Records } from './records.ts'
import type { Summary } from './sums/summary.ts'

/** What a group knows beside its places and the sums over its problems. */
export interface GroupState {
  /** Loudest severity rank that the destination was told of, or will be. */
  readonly level: number
  readonly problems: number
  /** Fingerprint of one of its problems that fired last. */
  readonly fires: string
  /** As the rule says. */
  readonly intervalMs: number
  /** Problems in the revision that was handed out, or told, last. */
  readonly handed: number
  readonly told: number
  /** Incident whose words the latest posted revision has; null: it has posted none. */
  readonly posted: number | null
}

/** A bundle with what its messages need. */
export interface BundleRow {
  readonly id: number
  readonly destination: number
  /** Fingerprint of the problem, or key of the group; null: it is a storm's. */
  readonly subject: string | null
  readonly bundle: Bundle
  /** The message to edit: the provider's id, once it is known, and its incident; null: there is none. */
  readonly messageId: string | null
  readonly firstIncident: number | null
  /** Number of the resolved incident whose message tells of the rest; null: a revision does. */
  readonly answer: number | null
  /** Places of firing incidents, where the problem flaps. */
  readonly firing: number
  /** Sums over the problems of a storm or group. */
  readonly summary: Summary | null
  /** Undefined: it is of no group. */
  readonly group?: GroupState | undefined
}

export interface DiskRow
  extends Pick<BundleRow, 'id' | 'destination' | 'subject' | 'answer' | 'firing'>,
    Pick<Bundle, 'since' | 'folded' | 'handed' | 'told' | 'revision'> {
  readonly kind: number
  readonly state: number
  readonly due_at: number | null
  readonly told_at: number
  readonly posted_at: number
  readonly message_id: string | null
  readonly first_incident: number | null
  /** JSON. */
  readonly step: string
  readonly summary: string | null
}

/** Values of the columns that change, by name. */
const CHANGING = {
  state: ({ bundle }) => BUNDLE_STATE[bundle.state],
  since: ({ bundle }) => bundle.since,
  folded: ({ bundle }) => bundle.folded,
  handed: ({ bundle }) => bundle.handed,
  told: ({ bundle }) => bundle.told,
  settled: ({ bundle }) => settledOf(bundle),
  revision: ({ bundle }) => bundle.revision,
  // One that is with the sender is due again when that is settled.
  due_at: ({ bundle }) => (bundle.dueAt === Infinity || bundle.sending !== undefined ? null : bundle.dueAt),
  told_at: ({ bundle }) => bundle.toldAt,
  posted_at: ({ bundle }) => bundle.postedAt,
  firing: ({ firing }) => firing,
  message_id: ({ messageId }) => messageId,
  first_incident: ({ firstIncident }) => firstIncident,
  answer: ({ answer }) => answer,
  step: ({ bundle, group }) => JSON.stringify({ ...restOf(bundle), group }),
  summary: ({ summary }) => summary && JSON.stringify(summary),
} as const satisfies { readonly [column in keyof DiskRow | 'settled']?: (row: BundleRow) => Parameter }
const NAMES = Object.keys(CHANGING)
const READERS = Object.values(CHANGING)

/** Returns the places of which the outcome is known. */
export const settledOf = ({ state, folded, told }: Bundle): number => (state === 'dead' ? folded : told)

/** What has no column of its own. Times count from `told_at`, which moves with the clock. */
function restOf({ posts, owesEnd, retrying, mayRepeat, urgent, gapMs, changed, toldAt, ...bundle }: Bundle) {
  const urgentAt = bundle.urgentAt - toldAt
  const sending = bundle.sending && { ...bundle.sending, at: bundle.sending.at - toldAt }
  return { posts, owesEnd, retrying, mayRepeat, urgent, urgentAt, gapMs, sending, changed }
}

const COLUMNS =
  'id, kind, state, destination, subject, since, folded, handed, told, revision, due_at, told_at, posted_at, firing, message_id, first_incident, answer, step, summary'
const IS_OPEN = 'closed_at IS NULL'
/** Bundles that are kept in memory: those of the last turns. */
const CACHED = 10_000

interface NewBundle extends Pick<BundleRow, 'subject' | 'messageId' | 'firstIncident' | 'group'> {
  readonly bundle: Bundle
}

/**
 * Bundles in memory and on disk, and the numbers of those that take places, by subject. A turn changes
 * them in memory; `flush` writes each once, before they are read by other means and at the end of the transaction. Inside
 * `write`, except `find` and `taking`.
 */
export type BundleRows = ReturnType<typeof openBundleRows>

export function openBundleRows({ db, counts, caches, now }: StoreContext, records: Pick<Records, 'begin'>) {
  const one = db.query<DiskRow>(`SELECT ${COLUMNS} FROM bundles WHERE id = ? AND ${IS_OPEN}`)
  const any = db.query<DiskRow>(`SELECT ${COLUMNS} FROM bundles WHERE id = ?`)
  const update = db.command(`UPDATE bundles SET ${NAMES.map((name) => `${name} = ?`)} WHERE id = ?`)
  const due = db.query<{ id: number }>(
    `SELECT id FROM bundles WHERE destination = ? AND kind <> ${BUNDLE_KIND.storm} AND due_at <= ? ORDER BY due_at, id LIMIT 1`,
  )
  const next = db.query<{ due_at: number }>(
    `SELECT due_at FROM bundles WHERE destination = ? AND kind <> ${BUNDLE_KIND.storm} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
  )
  const massed = db.query<{ places: number }>(`SELECT count(*) AS places FROM (SELECT 1 FROM bundles
     WHERE destination = ? AND kind >= ${BUNDLE_KIND.flapping} AND due_at <= ? AND state = ${BUNDLE_STATE.open} AND folded > told LIMIT ?) due`)
  const ofIncident = (condition: string) =>
    db.query<{ id: number }>(
      `SELECT id FROM bundles WHERE ${condition} = ? AND destination = ? AND ${IS_OPEN} ORDER BY id DESC LIMIT 1`,
    )
  const answered = ofIncident('answer')
  const started = {
    repeats: ofIncident(`kind = ${BUNDLE_KIND.repeats} AND first_incident`),
    group: ofIncident(`kind = ${BUNDLE_KIND.group} AND first_incident`),
  }
  const open = db.query<{ id: number; kind: number; destination: number; subject: string }>(
    `SELECT id, kind, destination, subject FROM bundles WHERE subject IS NOT NULL AND ${IS_OPEN} AND state = ${BUNDLE_STATE.open}`,
  )
  const rows = openOverlay<number, BundleRow>(caches, {
    read(id) {
      const row = one.get(id)
      return row && rowOf(row)
    },
    max: CACHED,
  })
  const taking = openUndoMap<string, number>(caches)

  const find = (id: number | undefined) => (id === undefined ? undefined : rows.find(id))
  const flush = () => rows.flush((row) => update.run(...READERS.map((read) => read(row)), row.id))

  return {
    open(lane: Lane, opening: NewBundle): BundleRow {
      const { subject, bundle } = opening
      const { kind, since } = bundle
      const id = records.begin(lane, { kind: BUNDLE_KIND[kind], subject, since, now: now() })
      const row = { ...opening, id, destination: lane.code, answer: null, firing: 0, summary: null }
      rows.add(id, row)
      if (subject !== null) taking.set(keyOf(lane.code, kind, subject), id)
      if (kind === 'group') counts.openGroups++
      return row
    },
    /** Returns a bundle that is not closed. */
    find,
    /** Returns a bundle that is. */
    closed(id: number): BundleRow | undefined {
      const row = any.get(id)
      return row && rowOf(row)
    },
    /** Returns the bundle that takes the places of a problem now. */
    taking: (code: number, fingerprint: string): BundleRow | undefined =>
      find(taking.get(keyOf(code, 'problem', fingerprint))),
    /** Returns the bundle that takes the places of a group now. */
    takingGroup(code: number, key: string): GroupRow | undefined {
      const row = find(taking.get(keyOf(code, 'group', key)))
      return isGroup(row) ? row : undefined
    },
    set(row: BundleRow): void {
      rows.set(row.id, row)
      const { destination, subject, bundle } = row
      if (subject === null || bundle.state === 'open') return
      const key = keyOf(destination, bundle.kind, subject)
      if (taking.get(key) !== row.id) return
      taking.set(key, undefined)
      if (bundle.kind === 'group') counts.openGroups--
    },
    /** A bundle was deleted. */
    removed: rows.deleted,
    flush,
    /** Rows were changed by other means, after `flush`. */
    forget: rows.forget,
    /** Returns the bundle that is due first. */
    due(code: number): BundleRow | undefined {
      flush()
      return find(due.get(code, now())?.id)
    },
    /** Returns the number of groups and of problems that flap with something to tell now, up to `limit`. */
    massDue(code: number, limit: number): number {
      flush()
      return massed.get(code, now(), limit)?.places ?? 0
    },
    /** Returns when the first bundle of a destination is due; Infinity: none is. */
    nextDueAt(code: number): number {
      flush()
      return next.get(code)?.due_at ?? Infinity
    },
    /** Returns the bundle whose rest this incident tells. */
    answeredBy(code: number, incident: number): BundleRow | undefined {
      flush()
      return find(answered.get(incident, code)?.id)
    },
    /** Returns the bundle whose message is that of this incident: a problem alone in its group may have one of each kind. */
    startedBy(code: number, incident: number, kind: keyof typeof started): BundleRow | undefined {
      flush()
      return find(started[kind].get(incident, code)?.id)
    },
    /** Reads the numbers of those that take places. */
    load(): void {
      counts.openGroups = 0
      for (const { id, kind, destination, subject } of open.all()) {
        taking.set(keyOf(destination, bundleKindName(kind), subject), id)
        if (kind === BUNDLE_KIND.group) counts.openGroups++
      }
    },
  }
}

/** A problem has one bundle at a destination, which tells of its repeats or of its changes. */
const keyOf = (code: number, of: BundleKind | 'problem', subject: string) =>
  `${code} ${of === 'group' ? 'group' : 'problem'} ${subject}`

/** A bundle of a group. */
export type GroupRow = BundleRow & { readonly group: GroupState }

export const isGroup = (row: BundleRow | undefined): row is GroupRow => row?.group !== undefined

function rowOf(row: DiskRow): BundleRow {
  const { id, destination, subject, answer, firing, since, folded, handed, told, revision } = row
  const { group, ...step } = JSON.parse(row.step) as ReturnType<typeof restOf> & Pick<BundleRow, 'group'>
  const bundle: Bundle = {
    ...{ kind: bundleKindName(row.kind), state: bundleStateName(row.state), since, folded, handed, told, revision },
    ...{ dueAt: row.due_at ?? Infinity, toldAt: row.told_at, postedAt: row.posted_at },
    ...step,
    urgentAt: row.told_at + step.urgentAt,
    sending: step.sending && { ...step.sending, at: row.told_at + step.sending.at },
  }
  return {
    ...{ id, destination, subject, bundle, answer, firing, group },
    ...{ messageId: row.message_id, firstIncident: row.first_incident },
    summary: row.summary === null ? null : JSON.parse(row.summary),
  }
}
