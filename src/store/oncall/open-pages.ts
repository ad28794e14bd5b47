import type { unfinishedFor } from '../../domain/escalation.ts'
import type { Overrides } from '../../domain/incident.ts'
import { pageTarget } from '../../domain/oncall.ts'
import { NOTIFY, ONCALL_OPEN } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { command, query } from '../engine/statement.ts'
import type { Decisions } from '../noise/decisions.ts'

/** Open pages whose incidents are kept; above it, and after this time, the oldest may be deleted. */
const MAX_OPEN = 10_000
const KEPT_MS = 30 * 24 * 3_600_000
/** Pages of a fingerprint that are looked at when another one is sent. */
const NEWEST = 64
/** Pages that one run of retention looks at, and those above `MAX_OPEN` that it gives up at most. */
const STEP = 16
const MAX_STEP = 512

/** Columns of the incident of a page that its target follows from. */
export interface TargetRow {
  /** Number of the decision; null: the defaults. */
  readonly decision: number | null
  readonly overrides: string | null
}

/** Returns the provider's destination that the page of an incident goes to; undefined: its default one. */
export type TargetOf = (row: TargetRow) => string | undefined

export const openTargetOf =
  (decisions: Pick<Decisions, 'pageTargetOf'>, provider: string): TargetOf =>
  ({ decision, overrides }) => {
    if (decision !== null) return decisions.pageTargetOf(decision)
    return overrides === null ? undefined : pageTarget(JSON.parse(overrides) as Overrides, provider)
  }

/** Keeps incidents from retention while their signals or pages are open, and the counts that go with it. Inside `write`. */
export type OpenPages = ReturnType<typeof openOpenPages>

export function openOpenPages({ db, counts, now }: StoreContext, targetOf: TargetOf) {
  const read = query<{ oncall_open: number; notify_status: number }>(
    db,
    'SELECT oncall_open, notify_status FROM incidents WHERE seq = ?',
  )
  const set = command(db, 'UPDATE incidents SET oncall_open = ? WHERE seq = ?')
  const ofFingerprint = query<TargetRow & { readonly seq: number }>(
    db,
    `SELECT seq, decision, overrides FROM incidents LEFT JOIN particulars USING (seq)
     WHERE fingerprint = ? AND oncall_open = ${ONCALL_OPEN.page} ORDER BY seq DESC LIMIT ${NEWEST}`,
  )
  const oldest = query<{ seq: number; committed_at: number }>(
    db,
    `SELECT seq, committed_at FROM incidents WHERE oncall_open = ${ONCALL_OPEN.page} ORDER BY seq LIMIT ?`,
  )

  function move(incident: number, to: keyof typeof ONCALL_OPEN): void {
    const row = read.get(incident)
    const is = ONCALL_OPEN[to]
    if (row === undefined || row.oncall_open === is) return
    set.run(is, incident)
    counts.openPages += Number(to === 'page') - Number(row.oncall_open === ONCALL_OPEN.page)
    if (row.notify_status !== NOTIFY.pending) counts.finished += Number(to === 'no') - Number(row.oncall_open === 0)
  }

  /** Of the pages of one target the provider has made one incident: its newest page ends it. */
  function keepNewest(fingerprint: string): void {
    const targets = new Set<string | undefined>()
    for (const row of ofFingerprint.all(fingerprint)) {
      const target = targetOf(row)
      if (targets.has(target)) move(row.seq, 'no')
      targets.add(target)
    }
  }

  return {
    /** An escalation is unfinished for another reason than before, or finished. */
    keep(incident: number, fingerprint: string, reason: ReturnType<typeof unfinishedFor>): void {
      move(incident, reason ?? 'no')
      if (reason === 'page') keepNewest(fingerprint)
    },
    /** Lets retention delete the oldest incidents of open pages that are too many or too old. */
    expire(): void {
      if (counts.openPages === 0) return
      const excess = counts.openPages - MAX_OPEN
      const before = now() - KEPT_MS
      for (const [at, { seq, committed_at }] of oldest.all(Math.min(MAX_STEP, Math.max(STEP, excess))).entries()) {
        if (at >= excess && committed_at >= before) continue
        move(seq, 'no')
        counts.forgottenPages++
      }
    },
  }
}
