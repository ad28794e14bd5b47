import type { ChannelName } from '../../domain/delivery/delivery.ts'
import type { MessageDispatch } from '../../domain/delivery/dispatch.ts'
import type { BundleKind } from '../../policy/bundles/bundle-state.ts'
import { type Pace, paceOf } from '../../policy/bundles/pace.ts'
import type { Problem } from '../../policy/problem.ts'
import { BUNDLE_KIND, BUNDLE_STATE } from '../engine/column-codes.ts'
import type { Lane } from '../engine/counts.ts'
import { openRules, type StormRulesByChannel } from '../noise/rules.ts'
import { openMakeDue } from '../outbox/queues.ts'
import type { StoreParts } from '../parts.ts'
import { openAbsorb } from './absorb.ts'
import { openArrivals } from './arrivals.ts'
import { openDigest } from './digest.ts'
import { openGroupNotes } from './group-notes.ts'
import { openGroups } from './groups.ts'
import { openMessages } from './message.ts'
import { openNotes } from './notes.ts'
import { openRecords } from './records.ts'
import { type KindRules, openRevise } from './revise.ts'
import { type BundleRows, openBundleRows } from './rows.ts'
import { EACH, type RepeatRules } from './rules.ts'
import { openSeed } from './seed.ts'
import { openStorms } from './storms.ts'
import { openTallies } from './sums/tallies.ts'
import { openTrial } from './trial.ts'

/** Revisions beside messages take at most this share of what a destination takes. */
const SHARE = 0.5
/** Gap between revisions where the rate is not known. */
const GAP_MS = 2_000
/** What is untold of groups is due in this time after the opening. */
const GROUP_MS = 10_000
/** Share of the quota that untold places beside messages may take at all destinations. */
const UNTOLD_SHARE = 0.25

export interface BundleDeps {
  readonly storms?: StormRulesByChannel
  readonly repeats?: RepeatRules
  readonly maxBacklog: number
}

/**
 * Bundles: incidents of a storm, or beside the message of a problem or group, get places, which revisions tell of. Inside `write`,
 * except `tryRepeat`.
 */
export type Bundles = ReturnType<typeof openBundles>

export function openBundles(context: StoreParts, limits: BundleDeps) {
  const { counts, channels, lanes, now, groupOf } = context
  const { storms: stormRules = {}, repeats: rules = EACH, maxBacklog } = limits
  const records = openRecords(context.db)
  const rows = openBundleRows(context, records)
  const tallies = openTallies(context, rows)
  const groupNotes = openGroupNotes(context, { rows, tallies, isEnabled: groupOf !== undefined })
  const notes = openNotes(context, { rules, rows, groupNotes })
  const absorb = openAbsorb(context, tallies)
  const rulesOf = openRules(stormRules, maxBacklog)
  const storms = openStorms(context, {
    ...{ rulesOf, rows, tallies, absorb, seed: openSeed(context, tallies) },
    move: (...step) => revise.move(...step),
    makeDue: openMakeDue(context),
  })
  const isStormy = (lane: Lane<ChannelName>) => storms.isRuled(lane) && storms.isStormy(lane)
  function pace(lane: Lane<ChannelName>, kind: BundleKind, intervalMs = 0): Pace {
    const { edits = false, rate } = stormRules[lane.destination] ?? {}
    const { remindMs } = rules
    return paceOf(kind, {
      edits,
      remindMs,
      storm: storms.parametersOf(lane),
      perSecond: rate?.perSecond ?? 1,
      intervalMs,
    })
  }
  const ofProblem = openMessages(context, { rows, notes, groupNotes, isStormy })
  const ofGroup: KindRules = {
    ...ofProblem,
    closed(_lane, { bundle: { folded } }) {
      // It is deleted: its only problem was told as without a group.
      if (folded > 0) return
      tallies.flush()
      tallies.forget()
    },
  }
  const digest = openDigest(context, tallies)
  const ofStorm: KindRules = {
    look: (lane, { id, messageId }) => ({
      ...(messageId === null ? { message: 'none' } : { message: 'stands', messageId }),
      ...{ isSilenced: false, isTaken: false, calmAt: storms.calmAt(lane) },
      compose(handOut) {
        tallies.flush()
        rows.flush()
        const row = rows.find(id)
        if (row === undefined) throw new RangeError(`the digest ${id} is gone`)
        return digest(lane, row, handOut)
      },
    }),
    told(lane, { id, bundle: { revision: number, folded, told } }, way) {
      storms.recordChange(lane, { digest: id, action: 'told', revision: { number, way }, folded, told })
    },
    closed(lane, { id, bundle: { folded, told } }, reason) {
      storms.closed(lane)
      storms.recordChange(lane, { digest: id, action: reason === null ? 'over' : 'dead', folded, told })
      if (folded === 0) tallies.forget()
    },
  }
  function gapMs(channel: ChannelName): number {
    const rate = stormRules[channel]?.rate.perSecond
    return rate === undefined ? GAP_MS : 1_000 / (rate * SHARE)
  }
  const revise = openRevise(context, {
    ...{ rows, records, kinds: { storm: ofStorm, repeats: ofProblem, flapping: ofProblem, group: ofGroup } },
    pace: (lane, { bundle, group }) => pace(lane, bundle.kind, group?.intervalMs),
    gapMs,
    absorb: (lane, from) => (isStormy(lane) ? storms.absorb(lane, from) : groups.absorb(lane, from)),
    attempted: storms.attempted,
  })
  const maxUntold = Math.floor((UNTOLD_SHARE * maxBacklog) / Math.max(1, channels.length))
  const isFull = ({ code }: Lane) => (counts.bundles.get(code)?.untold ?? 0) >= maxUntold
  const isClosed = (lane: Lane<ChannelName>) => isFull(lane) || isStormy(lane)
  const shared = { rules, rows, isClosed }
  const { claim, settle, lose, ended, nextAt } = revise
  const groups = openGroups(context, {
    ...{ rows, tallies, absorb, revise, isStormy, isFull },
    pace: (lane, intervalMs) => pace(lane, 'group', intervalMs),
  })
  return {
    storms,
    rows,
    tallies,
    notes,
    isStormy,
    gapMs,
    /** A person changed the problems that a digest tells of, or one of them: its message is edited. Returns false for one that is closed. */
    changed(id: number, problem?: Pick<Problem, 'id' | 'state'>): boolean {
      if (problem?.state === 'resolved') tallies.ended(id, problem.id)
      const row = rows.find(id)
      if (row === undefined || row.bundle.state === 'closed' || row.bundle.state === 'dead') return false
      revise.move(row, { kind: 'changed' })
      return true
    },
    /** Returns the message of a storm that is over, as it is now; undefined: it is not stored. */
    closedDigest(lane: Lane<ChannelName>, id: number): MessageDispatch | undefined {
      const row = rows.closed(id)
      if (row === undefined) return undefined
      const { revision, told: through } = row.bundle
      const last = { last: true, isEnd: true, urgent: false, at: now(), mayRepeat: false } as const
      return digest(lane, row, { kind: 'hand out', way: 'edit', revision, through, ...last })
    },
    ...openArrivals(context, { ...shared, revise, pace }),
    lookAtGroup: groups.look,
    tryRepeat: openTrial(context, { ...shared, tryGroup: groups.tryPlace, takes: storms.takes }),
    ...{ claim, settle, lose, ended, nextAt },
    /** Leases the revisions of storms that are due to a channel, at most `slots`. */
    claimDigests(channel: ChannelName, slots: number): MessageDispatch[] {
      const dispatches: MessageDispatch[] = []
      for (const lane of lanes.all(channel)) {
        if (dispatches.length >= slots) break
        if (!storms.isStormy(lane)) storms.openForMass(lane)
        if (!storms.isStormy(lane)) continue
        if (isStormy(lane)) revise.handOverDue(lane)
        // Old singles become places although no revision is due: they make the next one due. With some left over, the
        // revision waits for the next turn, which comes at once.
        if (storms.foldOld(lane) || storms.nextAt(lane) > now()) continue
        const row = storms.digestOf(lane)
        const dispatch = row && revise.claimOne(lane, row)
        if (dispatch !== undefined) dispatches.push(dispatch)
      }
      return dispatches
    },
    flush(): void {
      tallies.flush()
      rows.flush()
      storms.flush()
    },
    ...openUpkeep(context, { rules, rows, storms, isGrouping: groupOf !== undefined }),
  }
}

interface UpkeepDeps {
  readonly rules: RepeatRules
  readonly rows: BundleRows
  readonly storms: ReturnType<typeof openStorms>
  readonly isGrouping: boolean
}

/** Opens what changes all bundles at once. */
function openUpkeep({ db, counts, now }: StoreParts, { rules, rows, storms, isGrouping }: UpkeepDeps) {
  // All but storms have a subject.
  const open = 'subject IS NOT NULL AND closed_at IS NULL'
  const shift = db.command(
    `UPDATE bundles SET due_at = due_at + ?1, told_at = told_at + ?1, posted_at = posted_at + ?1 WHERE ${open}`,
  )
  const untold = db.query<{ destination: number; kind: number; untold: number; due: number | null }>(
    `SELECT destination, kind, sum(folded - told) AS untold, min(due_at) AS due FROM bundles WHERE closed_at IS NULL GROUP BY destination, kind`,
  )

  /** Makes due what is untold of one kind, and closes the others. */
  function endAll(kind: 'repeats' | 'group'): void {
    const those = `${open} AND kind = ${BUNDLE_KIND[kind]} AND state = ${BUNDLE_STATE.open}`
    const { ending, closed } = BUNDLE_STATE
    db.command(`UPDATE bundles SET state = ${ending}, due_at = ?1, posted_at = 0 WHERE ${those} AND folded > told`).run(
      now(),
    )
    db.command(
      `UPDATE bundles SET state = ${closed}, due_at = NULL, closed_at = ? WHERE ${those} AND folded = told`,
    ).run(now())
  }

  function countLanes(): void {
    counts.bundles.clear()
    for (const { destination, kind, untold: places, due } of untold.all()) {
      const was = counts.bundles.get(destination) ?? { inStorm: 0, untold: 0, dueAt: Infinity, notBefore: 0 }
      const isStorm = kind === BUNDLE_KIND.storm
      const dueAt = isStorm ? was.dueAt : Math.min(was.dueAt, due ?? Infinity)
      const [inStorm, others] = isStorm ? [places, 0] : [0, places]
      counts.bundles.set(destination, { ...was, dueAt, inStorm: was.inStorm + inStorm, untold: was.untold + others })
    }
  }

  return {
    /** Reads the counts from disk; where repeats are not folded, or incidents grouped, any more it makes due what is untold. */
    load(): void {
      const bound = (time: string, to: number, which: string) =>
        db.command(`UPDATE bundles SET ${time} = ?1 WHERE ${time} > ?1 AND ${which}`).run(to)
      bound('due_at', now() + rules.remindMs, `${open} AND (folded > told OR state = ${BUNDLE_STATE.ending})`)
      bound('due_at', now() + GROUP_MS, `${open} AND kind = ${BUNDLE_KIND.group} AND folded > told`)
      bound('told_at', now(), open)
      bound('posted_at', now(), open)
      if (rules.mode === 'each') endAll('repeats')
      if (!isGrouping) endAll('group')
      rows.load()
      countLanes()
      storms.load()
    },
    shift(byMs: number): void {
      storms.shift(byMs)
      if (counts.bundles.size === 0) return
      rows.flush()
      shift.run(byMs)
      rows.forget()
      for (const [code, lane] of counts.bundles)
        counts.bundles.set(code, { ...lane, dueAt: lane.dueAt + byMs, notBefore: lane.notBefore + byMs })
    },
  }
}
