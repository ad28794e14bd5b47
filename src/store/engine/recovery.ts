import { RANK } from '../../domain/dispatch.ts'
import { loadHealth } from '../deliveries/channel-health.ts'
import type { NotifyStatusTracker } from '../incidents/notify-status.ts'
import type { Outages } from '../noise/outages.ts'
import type { RepeatsOfProblems } from '../noise/repeats/open.ts'
import type { Storms } from '../noise/storms.ts'
import type { WindUp } from '../noise/windup.ts'
import { recountNotices } from '../outbox/notices.ts'
import type { openReclaim } from '../outbox/reclaim.ts'
import type { Problems } from '../problems/problems.ts'
import { DESTINATION_CODE, KIND, PHASE, STATE } from './column-codes.ts'
import type { StoreContext } from './context.ts'
import { recount } from './recount.ts'
import { command, listOf, query } from './statement.ts'

/** Longer than any backoff: a later due time was set while the clock was wrong. */
const LONGEST_WAIT_MS = 24 * 3_600_000

interface RecoveryDeps {
  readonly statusTracker: Pick<NotifyStatusTracker, 'finish'>
  readonly reclaim: ReturnType<typeof openReclaim>
  readonly storms: Storms
  readonly repeats: Pick<RepeatsOfProblems, 'load'>
  readonly windUp: Pick<WindUp, 'load'>
  readonly outages: Pick<Outages, 'load'>
  readonly problems: Pick<Problems, 'load'>
}

/**
 * Begins a life of the process, which owns its leases. Repairs what earlier lives left: due times of a wrong clock,
 * deliveries, digests and follow-ups of channels that are disabled now, leases. Counts everything. Inside the first transaction.
 */
export function recover(
  context: StoreContext,
  { statusTracker, reclaim, storms, repeats, windUp, outages, problems }: RecoveryDeps,
) {
  const { db, owner, now } = context
  command(db, 'UPDATE process SET life = ?').run(owner)
  // An armed page is due when its timer ends, however long that is.
  command(
    db,
    `UPDATE dispatches SET due_at = ?1 WHERE state = ${STATE.pending} AND due_at > ?1 + ${LONGEST_WAIT_MS}
       AND NOT (kind = ${KIND.page} AND incident IN (SELECT incident FROM oncall WHERE phase = ${PHASE.armed}))`,
  ).run(now())
  const skipped = skipDisabled(context)
  forgetRanks(context, storms)
  recount(context)
  loadHealth(context)
  recountNotices(context)
  windUp.load()
  outages.load()
  problems.load()
  for (const incident of skipped) statusTracker.finish(incident)
  storms.load()
  repeats.load()
  reclaim('earlier')
  storms.find()
}

/**
 * Skips unfinished deliveries and digests of channels that are not enabled any more, and drops their follow-ups; returns the
 * incidents of the deliveries.
 */
function skipDisabled({ db, lanes, now }: StoreContext): number[] {
  const enabled = listOf(lanes.enabled())
  const unsent = `state IN (${STATE.pending}, ${STATE.sending}, ${STATE.held}) OR (state = ${STATE.folded} AND place > (SELECT told FROM bundles WHERE id = bundle))`
  const orphans = `kind = ${KIND.delivery} AND destination NOT IN (${enabled}) AND (${unsent})`
  const incidents = query<{ incident: number }>(db, `SELECT DISTINCT incident FROM dispatches WHERE ${orphans}`).all()
  command(
    db,
    `UPDATE dispatches SET state = ${STATE.skipped}, due_at = NULL, lease_owner = NULL, lease_until = NULL WHERE ${orphans}`,
  ).run()
  command(
    db,
    `UPDATE dispatches SET state = ${STATE.skipped}, lease_owner = NULL, lease_until = NULL
     WHERE incident = 0 AND kind = ${KIND.digest} AND state IN (${STATE.pending}, ${STATE.sending}) AND destination NOT IN (${enabled})`,
  ).run()
  command(db, `UPDATE bundles SET closed_at = ? WHERE closed_at IS NULL AND destination NOT IN (${enabled})`).run(now())
  command(db, `DELETE FROM holds WHERE destination NOT IN (${[...lanes.enabled(), DESTINATION_CODE.oncall]})`).run()
  command(
    db,
    `UPDATE dispatches SET state = ${STATE.skipped}, due_at = NULL, lease_owner = NULL, lease_until = NULL
     WHERE incident = 0 AND kind = ${KIND.notice} AND number IN (SELECT number FROM notices WHERE about IS NULL) AND state IN (${STATE.pending}, ${STATE.sending}) AND destination NOT IN (${enabled})`,
  ).run()
  command(db, `UPDATE destinations SET storm = NULL WHERE code NOT IN (${enabled})`).run()
  command(db, `DELETE FROM dispatches WHERE kind = ${KIND['follow-up']} AND destination NOT IN (${enabled})`).run()
  return incidents.map((row) => row.incident)
}

/** Gives all deliveries of destinations without storm rules one rank. */
function forgetRanks({ db, channels, lanes }: StoreContext, storms: Pick<Storms, 'isRuled'>): void {
  const codes = channels
    .flatMap((channel) => lanes.all(channel).filter((lane) => !storms.isRuled(lane)))
    .map(({ code }) => code)
  command(
    db,
    `UPDATE dispatches SET rank = ${RANK.normal}
     WHERE kind = ${KIND.delivery} AND state IN (${STATE.pending}, ${STATE.sending}) AND rank <> ${RANK.normal} AND destination IN (${listOf(codes)})`,
  ).run()
}
