import { RANK } from '../../domain/delivery/dispatch.ts'
import { CHANNEL_CODE, KIND, maskOf, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { backlogSize, queueOf } from '../engine/counts.ts'
import { listOf } from '../engine/statement.ts'
import type { ReplayFilter } from '../incidents/filters.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { addPending } from '../outbox/queues.ts'

interface DeliveryKey {
  readonly incident: number
  readonly destination: number
  /** Number of the digest that it has a place in. */
  readonly bundle: number | null
}

/**
 * Opens replay and resend: finished deliveries become pending with a fresh count of attempts. The ledger goes on
 * counting. Inside `write`.
 */
export function openReplay(context: NoiseParts, maxBacklog: number) {
  const { db, counts, channels, lanes, storms, fulltext } = context
  const { reopen } = context.statusTracker
  const resetToPending = openResetToPending(context)
  const enabled = `SELECT code FROM destinations WHERE channel IN (${listOf(channels.map((name) => CHANNEL_CODE[name]))})`
  const dead = db.query<DeliveryKey>(`SELECT incident, destination, bundle FROM dispatches
     WHERE kind = ${KIND.delivery} AND state = ${STATE.dead} AND destination IN (${enabled})
       AND (cast(?1 AS BIGINT) IS NULL OR destination IN (SELECT code FROM destinations WHERE channel = ?1)) AND (cast(?2 AS TEXT) IS NULL OR incident = (SELECT seq FROM incidents WHERE id = ?2))
       AND (cast(?3 AS BIGINT) = 0 OR coalesce(target, '') = coalesce(cast(?4 AS TEXT), ''))
     ORDER BY incident LIMIT ?5`)
  const finished = db.query<DeliveryKey>(`SELECT incident, destination, bundle FROM dispatches
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination IN (${enabled})
       AND state IN (${STATE.sent}, ${STATE.dead}, ${STATE.skipped})`)
  const find = db.query<{ seq: number; decision: number | null }>('SELECT seq, decision FROM incidents WHERE id = ?')
  const addMissing = openAddMissing(context)

  function send(rows: readonly DeliveryKey[], detail: typeof RESENT | null): void {
    for (const key of rows) {
      resetToPending(key, detail)
      reopen(key.incident)
    }
  }

  /** Makes places of the next digest of those that died with one; returns the others. */
  function reviveDigests(rows: readonly DeliveryKey[]): readonly DeliveryKey[] {
    const died = Map.groupBy(
      rows.filter(({ bundle }) => bundle !== null),
      ({ destination }) => destination,
    )
    const revived = new Set<number>()
    for (const [destination, places] of died) {
      const incidents = places.map(({ incident }) => incident)
      if (!storms.revive(lanes.of(destination), incidents)) continue
      revived.add(destination)
      for (const incident of incidents) reopen(incident)
    }
    return rows.filter(({ bundle, destination }) => bundle === null || !revived.has(destination))
  }

  return {
    /**
     * Makes dead deliveries pending with fresh attempts, oldest first, at most half of the free backlog; returns their
     * number. `expected`: dispatches that incidents may become which are committed and not applied; they are not free.
     */
    replay({ channel, id, target }: ReplayFilter, expected = 0): number {
      const room = Math.max(0, maxBacklog - backlogSize(counts) - expected)
      const code = channel === undefined ? null : CHANNEL_CODE[channel]
      const rows = dead.all(code, id ?? null, target === undefined ? 0 : 1, target ?? null, Math.ceil(room / 2))
      send(reviveDigests(rows), null)
      return rows.length
    },
    /**
     * Makes every finished delivery of the incident pending, on the channels enabled now; one that no rule decided goes to
     * all of them. False: no incident has the id.
     */
    resend(id: string): boolean {
      const found = find.get(id)
      if (found === undefined) return false
      const { seq, decision } = found
      send(finished.all(seq), RESENT)
      // An incident that rules decided about misses no other destination.
      if (decision === null && addMissing(seq) > 0) {
        reopen(seq)
        fulltext.reindex(seq)
      }
      return true
    },
  }
}

/** Detail of a delivery that is to be a message of its own whatever the storm rules say. */
const RESENT = '{"resent":true}'

/** Opens the statement that makes a delivery pending again. With storm rules off, all deliveries have one rank. */
function openResetToPending({ db, counts, lanes, now, storms }: NoiseParts) {
  const resetToPending = db.query<{ rank: number }>(
    `UPDATE dispatches SET state = ${STATE.pending}, due_at = ?, earlier_attempts = earlier_attempts + attempts,
       attempts = 0, dead_reason = NULL, detail = ?, rank = coalesce(?, rank)
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0 RETURNING rank`,
  )
  return ({ incident, destination }: DeliveryKey, detail: typeof RESENT | null) => {
    const at = now()
    const changed = storms.isRuled(lanes.of(destination)) ? null : RANK.normal
    const rank = resetToPending.get(at, detail, changed, incident, destination)?.rank
    addPending(queueOf(counts, rank === RANK.urgent ? 'urgent' : 'delivery', destination), at)
  }
}

/** Adds deliveries for channels that were enabled after the incident came; returns their number. */
function openAddMissing({ db, counts, channels, now }: StoreContext) {
  const insert = db.change(`INSERT INTO dispatches (incident, kind, destination, number, state, due_at, detail)
     SELECT ?1, ${KIND.delivery}, ?2, 0, ${STATE.pending}, ?3, '${RESENT}' WHERE NOT EXISTS (SELECT 1 FROM dispatches
       WHERE incident = ?1 AND kind = ${KIND.delivery} AND destination IN (SELECT code FROM destinations WHERE channel = ?2))`)
  const enable = db.command(
    `UPDATE incidents SET channels_enabled = channels_enabled | ${maskOf(channels)} WHERE seq = ?`,
  )
  return (incident: number) => {
    const added = channels.filter((channel) => insert.run(incident, CHANNEL_CODE[channel], now()) > 0)
    for (const channel of added) addPending(queueOf(counts, 'delivery', CHANNEL_CODE[channel]), now())
    if (added.length > 0) enable.run(incident)
    return added.length
  }
}
