import { RANK } from '../../domain/delivery/dispatch.ts'
import type { Bundles } from '../bundles/open.ts'
import { loadHealth } from '../deliveries/channel-health.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { recountAccounts } from '../noise/silences/accounts.ts'
import { recountNotices } from '../outbox/notices.ts'
import { leasedBy, type Reclaim } from '../outbox/reclaim.ts'
import { loadPages } from '../pages/recovery.ts'
import { NOTHING_HELD } from '../tellings/rows.ts'
import type { Tellings } from '../tellings/tellings.ts'
import { BUNDLE_STATE, CHANNEL_CODE, DESTINATION_CODE, KIND, kindName, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { type QueuedKind, queueOf } from './counts.ts'
import { listOf, type Statements } from './statement.ts'
import { countInSteps, inSteps } from './steps.ts'

/** Longer than any backoff: a later due time was set while the clock was wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000
/** Rows that one statement changes. */
const STEP = 10_000

/**
 * Begins a life of the process, which owns its leases. Repairs what earlier lives left: due times of a wrong clock,
 * deliveries, digests and follow-ups of channels that are disabled now, leases. Counts everything. Returns the numbers of the
 * messages to people that such a channel had. Inside the first transaction.
 */
export function recover(context: NoiseParts, reclaim: Reclaim): readonly number[] {
  const { db, counts, lanes, owner, now, statusTracker, problems, tellings, bundles, windUp, outages } = context
  counts.appliedUpTo = db.query<{ up_to: number }>('SELECT up_to FROM applied').get()?.up_to ?? 0
  db.command('UPDATE process SET life = ?').run(owner)
  db.command(
    `UPDATE dispatches SET due_at = ?1 WHERE state = ${STATE.pending} AND due_at > ?1 + ${LONGEST_WAIT_MS}`,
  ).run(now())
  const leased = leasedBy('earlier', context)
  reclaim.loseMessages(leased)
  const { skipped, messages } = skipDisabled(context, tellings)
  forgetRanks(context, bundles.storms)
  recount(context)
  loadPages(context)
  loadHealth(context)
  recountNotices(context)
  windUp.load()
  outages.load()
  problems.load()
  context.openings?.load()
  for (const incident of skipped) statusTracker.finish(incident)
  bundles.load()
  reclaim.loseOthers(leased.filter(({ kind, code }) => kind !== 'digest' || lanes.enabled().includes(code)))
  bundles.storms.find()
  return messages
}

/**
 * Skips unfinished deliveries, digests and messages of channels that are not enabled any more, and drops their follow-ups; returns
 * the incidents of the deliveries, and the numbers of the messages. Nothing is leased.
 */
function skipDisabled({ db, channels, now }: StoreContext, tellings: Tellings) {
  const codes = `(SELECT code FROM destinations WHERE channel NOT IN (${listOf(channels.map((name) => CHANNEL_CODE[name]))}))`
  const skipped = new Set<number>()
  const end = db.command(`UPDATE dispatches SET state = ${STATE.skipped}, due_at = NULL
     WHERE incident = ? AND kind = ${KIND.delivery} AND destination = ? AND number = 0`)
  // Found first and changed by key: a server that has no statistics joins the whole table.
  const skip = (unfinished: string) => {
    const found = db.query<{ incident: number; destination: number }>(
      `SELECT d.incident, d.destination FROM ${unfinished} AND d.kind = ${KIND.delivery} LIMIT ${STEP}`,
    )
    for (let rows = found.all(); ; rows = found.all()) {
      for (const { incident, destination } of rows) {
        end.run(incident, destination)
        skipped.add(incident)
      }
      if (rows.length < STEP) return
    }
  }
  skip(`dispatches d WHERE d.state = ${STATE.pending} AND d.destination IN ${codes}`)
  skip(
    `tellings t CROSS JOIN dispatches d WHERE t.silence IS NOT NULL AND t.held IS NOT NULL AND t.destination IN ${codes}
       AND d.incident = t.held AND d.destination = t.destination AND d.number = 0 AND d.state = ${STATE.held}`,
  )
  skip(
    `bundles b CROSS JOIN dispatches d WHERE b.destination IN ${codes} AND b.folded > b.told
       AND d.bundle = b.id AND d.place > b.told AND d.state = ${STATE.folded}`,
  )
  const own = `incident = 0 AND state = ${STATE.pending} AND destination IN ${codes}`
  const isAccount = 'number IN (SELECT number FROM notices WHERE about IS NULL)'
  db.command(`UPDATE dispatches SET state = ${STATE.skipped} WHERE kind = ${KIND.digest} AND ${own}`).run()
  const messages = db
    .query<{ number: number }>(
      `UPDATE dispatches SET state = ${STATE.skipped}, due_at = NULL WHERE kind = ${KIND.notice} AND ${own} AND ${isAccount} RETURNING number`,
    )
    .all()
    .map(({ number }) => number)
  db.command(
    `UPDATE bundles SET closed_at = ?, state = ${BUNDLE_STATE.closed}, due_at = NULL WHERE closed_at IS NULL AND destination IN ${codes}`,
  ).run(now())
  forgetHeld(db, tellings, codes)
  db.command(`UPDATE destinations SET storm = NULL WHERE code IN ${codes}`).run()
  db.command(
    `DELETE FROM dispatches WHERE kind = ${KIND['follow-up']} AND state = ${STATE.pending} AND destination IN ${codes}`,
  ).run()
  return { skipped, messages }
}

/** Silences hold nothing from these destinations any more. */
function forgetHeld(db: Statements, tellings: Tellings, codes: string): void {
  const found = db.query<{ problem: number; destination: number }>(
    `SELECT problem, destination FROM tellings WHERE silence IS NOT NULL AND destination IN ${codes} LIMIT ${STEP}`,
  )
  for (let rows = found.all(); rows.length > 0; rows = found.all()) {
    tellings.prefetch(rows.map(({ problem }) => problem))
    for (const { problem, destination } of rows) tellings.put({ ...tellings.of(problem, destination), ...NOTHING_HELD })
    tellings.flush()
  }
}

/** Gives all deliveries of destinations without storm rules one rank. None is leased. */
function forgetRanks({ db, channels, lanes }: StoreContext, storms: Pick<Bundles['storms'], 'isRuled'>): void {
  const codes = channels
    .flatMap((channel) => lanes.all(channel).filter((lane) => !storms.isRuled(lane)))
    .map(({ code }) => code)
  db.command(`UPDATE dispatches SET rank = ${RANK.normal} WHERE kind = ${KIND.delivery} AND state = ${STATE.pending}
       AND rank IN (${RANK.urgent}, ${RANK.low}) AND destination IN (${listOf(codes)})`).run()
}

/**
 * Sets the counts in memory to those of the database. Walks all incidents in steps: for the opening. No dispatch is leased.
 * Notices and pages are counted by their own files.
 */
function recount({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  const numberOf = (sql: string) => db.query<{ rows: number }>(`SELECT ${sql}`).get()?.rows ?? 0
  const isFinished = 'notify_status <> 0 AND oncall_open = 0'
  counts.incidents = countInSteps(db, { table: 'incidents', key: ['id'], first: '' })
  counts.finished = countInSteps(db, { table: 'incidents', key: ['seq'], first: -1, where: isFinished })
  counts.quarantined = numberOf('coalesce(sum(last - first + 1), 0) AS rows FROM quarantine')
  counts.held.deliveries = numberOf(
    `count(*) AS rows FROM tellings WHERE silence IS NOT NULL AND held IS NOT NULL AND destination <> ${DESTINATION_CODE.oncall}`,
  )
  recountAccounts({ db, counts })
  for (const queues of Object.values(counts.queues)) queues.clear()
  recountPending({ db, counts })
}

interface PendingRow {
  readonly kind: number
  readonly destination: number
  readonly rank: number
  readonly dispatches: number
  readonly due: number
}

function recountPending({ db, counts }: Pick<StoreContext, 'db' | 'counts'>): void {
  const key = ['kind', 'destination', 'rank', 'due_at', 'incident']
  inSteps(db, { table: 'dispatches', key, first: -1, where: `state = ${STATE.pending}` }, (range) => {
    const pending =
      db.query<PendingRow>(`SELECT kind, destination, rank, count(*) AS dispatches, min(due_at) AS due FROM dispatches
       WHERE ${range} GROUP BY kind, destination, rank`)
    return (...bounds) => {
      for (const { kind, destination, rank, dispatches, due } of pending.all(...bounds)) {
        if (kind === KIND.notice || kind === KIND.digest) continue
        const isEdit = kind === KIND['follow-up'] && rank === RANK.low
        const name = isEdit ? 'edit' : rank === RANK.urgent ? 'urgent' : (kindName(kind) as QueuedKind)
        const queue = queueOf(counts, name, destination)
        queue.pending += dispatches
        queue.dueAt = Math.min(queue.dueAt, due)
      }
    }
  })
}
