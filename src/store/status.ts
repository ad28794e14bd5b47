import type { ChannelName } from '../domain/delivery/delivery.ts'
import type { openHealth } from './deliveries/channel-health.ts'
import { KIND, STATE } from './engine/column-codes.ts'
import type { StoreContext } from './engine/context.ts'
import { unfinishedDeliveries } from './engine/counts.ts'
import type { Write } from './engine/transaction.ts'
import type { OncallPort } from './pages/port.ts'

/** Number of newest incidents among which unacknowledged ones are counted. */
const LOOK_BACK = 1_000
const DAY_MS = 24 * 3_600_000
/** Bytes that `check` writes. A full disk often takes one more row; this proves room for an ordinary request. */
const CHECK_BYTES = 65_536

interface StatusDeps {
  readonly write: Write
  readonly health: ReturnType<typeof openHealth>
  readonly oncall: Pick<OncallPort, 'counters'>
  /** The channels from whose messages people answer. */
  readonly answering: readonly ChannelName[]
}

/** Condition of the store. Store thread. */
export function openStatus(context: StoreContext, { write, health, oncall, answering }: StatusDeps) {
  const { db, now } = context
  const counters = () => countersOf(context)
  const countUnacknowledged = openUnacknowledged(context)
  const countEdits = openCountEdits(context)
  const check = db.command(`INSERT INTO health (id, checked_at, ballast) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET checked_at = excluded.checked_at, ballast = excluded.ballast`)
  const runs = db.query<{ open: number }>('SELECT count(*) AS open FROM oncall_runs WHERE ended_at IS NULL')
  return {
    /** Proves that a write transaction commits now. Throws `storage_full`, `storage_down`. */
    check: (): void => write(() => void check.run(now(), new Uint8Array(CHECK_BYTES))),
    /** O(1). */
    counters,
    /** Returns the number of escalations at work, which sleep while none is configured. */
    openRuns: (): number => runs.get()?.open ?? 0,
    /** Snapshot for the dashboard and metrics. Costs what `health` of the channels costs. */
    state: () => ({
      ...counters(),
      channels: health(),
      oncall: oncall.counters(),
      /** Edits of messages that wait, for each channel that takes answers. */
      answerEdits: answering.length === 0 ? [] : countEdits(answering),
      /**
       * Fingerprints whose latest incident (of the last 24 h, among the newest 1,000) is firing and neither acknowledged
       * nor resolved.
       */
      unacknowledgedFiring: countUnacknowledged(),
      firingProblems: context.counts.problems.firing,
      /** Upper bound of applied incidents that the problems on disk lack. */
      problemLag: context.counts.problems.added - context.counts.problems.through,
      ...context.engine.sizes(),
    }),
  }
}

export type StoreState = ReturnType<ReturnType<typeof openStatus>['state']>

/** Counts kept in memory; they equal a recount of the database. */
const countersOf = ({ counts }: StoreContext) => ({
  incidents: counts.incidents + counts.quarantined,
  /** Part of `incidents`: in quarantine. Nothing is sent of them, and they count against no quota. */
  quarantinedIncidents: counts.quarantined,
  /** All deliveries ended, no signal for the pager waits, and no page is open. */
  finishedIncidents: counts.finished,
  /** Pending and sending. */
  unfinishedDeliveries: unfinishedDeliveries(counts),
  /** Settlements since opening of deliveries or pages that were not leased. */
  unknownSettlements: counts.unknownSettlements,
  /** Upper bound of incidents that are not in the search index yet. */
  unindexed: Math.min(counts.incidents, counts.appliedUpTo - counts.indexedThrough),
})

/** They are few, and lie together in the index of what is due. */
function openCountEdits({ db, lanes }: StoreContext) {
  const waiting = db.query<{ destination: number; edits: number }>(
    `SELECT destination, count(*) AS edits FROM dispatches
     WHERE kind = ${KIND['follow-up']} AND state = ${STATE.pending} AND number <= 0 GROUP BY destination`,
  )
  return (channels: readonly ChannelName[]) => {
    const rows = waiting.all()
    const of = (channel: ChannelName) => rows.filter((row) => lanes.of(row.destination).destination === channel)
    return channels.map((channel) => ({ channel, waiting: of(channel).reduce((sum, { edits }) => sum + edits, 0) }))
  }
}

function openUnacknowledged({ db, counts, now }: StoreContext): () => number {
  // Only the latest incident of a fingerprint counts: a later resolution ends a firing one, and a later firing one
  // replaces it.
  const unacknowledged = db.query<{ firing: number }>(`SELECT count(*) AS firing FROM (
       SELECT max(seq) AS seq FROM incidents WHERE seq >= ? AND created_at > ? GROUP BY fingerprint
     ) latest JOIN incidents USING (seq) WHERE status = 'firing' AND acked_at IS NULL AND resolved_at IS NULL`)
  return () => unacknowledged.get(counts.appliedUpTo + 1 - LOOK_BACK, now() - DAY_MS)?.firing ?? 0
}
