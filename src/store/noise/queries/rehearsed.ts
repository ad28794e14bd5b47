import type { ChannelName, DeliveryState } from '../../../domain/delivery/delivery.ts'
import { channelName, KIND, PHASE, stateName } from '../../engine/column-codes.ts'
import type { Statements } from '../../engine/statement.ts'

/** Deliveries and page of one incident. */
export interface Fate {
  readonly number: number
  readonly id: string
  readonly title: string
  readonly service: string
  readonly severity: string
  /** Epoch milliseconds. */
  readonly committedAt: number
  readonly deliveries: readonly DeliveryFate[]
  readonly paged: boolean
  /** Another incident of its fingerprint paged for it, or will. */
  readonly joined: boolean
  /** Whom escalations asked about its problem, sorted: keys of people, `provider`. */
  readonly asked: readonly string[]
}

interface DeliveryFate {
  readonly channel: ChannelName
  readonly target: string | null
  readonly state: DeliveryState
  /** A digest tells of it. */
  readonly inDigest: boolean
  /** Epoch milliseconds; null: not told. */
  readonly toldAt: number | null
}

interface FateRow extends Omit<Fate, 'deliveries' | 'paged' | 'joined' | 'asked'> {
  readonly channel: number | null
  readonly target: string
  readonly state: number
  readonly bundle: number | null
  readonly place: number | null
  readonly sentAt: number | null
  readonly problem: number
  readonly page: number | null
  readonly resolvedAt: number | null
  readonly pagedAt: number | null
}

/** Incidents that one statement reads. */
const PAGE = 1_000
const FATES = `
SELECT i.seq AS number, i.id, i.title, i.service, i.severity, i.committed_at AS "committedAt", to_.channel, to_.target, d.state, d.bundle, d.place,
  CASE WHEN d.bundle IS NULL THEN (SELECT min(a.started_at + a.duration_ms) FROM attempts a
     WHERE a.incident = d.incident AND a.channel = d.destination AND a.outcome = 'sent') END AS "sentAt",
  i.problem, i.page, i.paged_at AS "pagedAt", i.resolved_at AS "resolvedAt"
FROM (SELECT * FROM incidents WHERE seq > ? ORDER BY seq LIMIT ${PAGE}) i LEFT JOIN dispatches d ON d.incident = i.seq AND d.kind = ${KIND.delivery}
  LEFT JOIN destinations to_ ON to_.code = d.destination
ORDER BY i.seq, d.destination, d.number`

/** Yields how each incident of the database fared, in the order of their commits. `asked`: whom escalations asked, by problem. */
export function* fatesIn(db: Statements, asked: ReadonlyMap<number, readonly string[]> = NOBODY): Generator<Fate> {
  const toldIn = openRevisions(db)
  const problems = db.query<{ problem: number }>('SELECT DISTINCT problem FROM incidents WHERE paged_at IS NOT NULL')
  const paged = new Set([...problems.all().map(({ problem }) => problem), ...asked.keys()])
  let open: (Fate & { readonly deliveries: DeliveryFate[] }) | undefined
  for (const row of rowsIn(db)) {
    if (open?.number !== row.number) {
      if (open !== undefined) yield open
      open = { ...fateOf(row, paged), asked: asked.get(row.problem) ?? [] }
    }
    const { channel, bundle, place, sentAt } = row
    const toldAt = bundle === null || place === null ? sentAt : toldIn(bundle, place)
    if (channel !== null) open.deliveries.push(deliveryOf(row, channel, toldAt))
  }
  if (open !== undefined) yield open
}

const NOBODY: ReadonlyMap<number, readonly string[]> = new Map()

function* rowsIn(db: Statements): Generator<FateRow> {
  const page = db.query<FateRow>(FATES)
  for (let rows = page.all(-1); rows.length > 0; rows = page.all(rows.at(-1)?.number ?? 0)) yield* rows
}

interface RevisionRow {
  readonly bundle: number
  /** The last place that it tells of; never less than that of the one before. */
  readonly through: number
  readonly told_at: number
}

/** Returns a function that tells when a place of a digest was told; null: it was not. */
function openRevisions(db: Statements): (bundle: number, place: number) => number | null {
  const rows = db.query<RevisionRow>('SELECT bundle, through, told_at FROM revisions ORDER BY bundle, number').all()
  const byBundle = Map.groupBy(rows, ({ bundle }) => bundle)
  return (bundle, place) => {
    const revisions = byBundle.get(bundle) ?? []
    let [from, to] = [0, revisions.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((revisions[middle]?.through ?? 0) < place) from = middle + 1
      else to = middle
    }
    return revisions[from]?.told_at ?? null
  }
}

/** `paged`: problems that were. One that joined a page is resolved with it, also when that was not made. */
function fateOf(row: FateRow, paged: ReadonlySet<number>) {
  const { number, id, title, service, severity, committedAt, page, pagedAt, problem, resolvedAt } = row
  const joined = page === PHASE.joined && (resolvedAt === null || paged.has(problem))
  return { number, id, title, service, severity, committedAt, deliveries: [], paged: pagedAt !== null, joined }
}

const deliveryOf = ({ target, state, bundle }: FateRow, channel: number, toldAt: number | null): DeliveryFate => ({
  channel: channelName(channel),
  target: target === '' ? null : target,
  state: stateName(state),
  inDigest: bundle !== null,
  toldAt,
})

/** Digests and revisions of one destination. */
export interface DigestCount {
  readonly channel: ChannelName
  readonly target: string | null
  readonly digests: number
  readonly revisions: number
  /** Revisions that edit the message before. */
  readonly edits: number
}

/** Returns how many digests each destination got, and their messages and edits. One without a place is none: a group of one problem. */
export function digestCounts(db: Statements): readonly DigestCount[] {
  const rows = db
    .query<
      Omit<DigestCount, 'channel' | 'target'> & { channel: number; target: string }
    >(`SELECT channel, target, count(DISTINCT b.id) AS digests, count(r.number) AS revisions, count(CASE WHEN r.way = 'edit' THEN 1 END) AS edits
     FROM bundles b JOIN destinations ON code = b.destination LEFT JOIN revisions r ON r.bundle = b.id
     WHERE b.folded > 0 GROUP BY code ORDER BY code`)
    .all()
  return rows.map(({ channel, target, ...counts }) => ({
    channel: channelName(channel),
    target: target === '' ? null : target,
    ...counts,
  }))
}
