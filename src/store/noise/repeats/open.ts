import type { ChannelName } from '../../../domain/delivery.ts'
import type { StoreContext } from '../../engine/context.ts'
import type { Lane } from '../../engine/counts.ts'
import { command, query } from '../../engine/statement.ts'
import type { Escalations } from '../../oncall/escalations.ts'
import type { OncallChange } from '../../ports/oncall.ts'
import type { Problems } from '../../problems/problems.ts'
import type { Tellings } from '../../tellings/tellings.ts'
import type { StormRulesByChannel } from '../rules.ts'
import type { Storms } from '../storms.ts'
import { openRepeatArrivals } from './arrivals.ts'
import { openFlaps } from './flaps.ts'
import { changeRepeats, countUntold } from './lane-repeats.ts'
import { openRepeatNotes, type RepeatNotes } from './notes.ts'
import { openRepeatRevisions, type RepeatRevisions, type RevisionDeps } from './revisions.ts'
import { FLAP, openRepeatRows, type RepeatBundle } from './rows.ts'
import type { FlapRules, RepeatRules } from './rules.ts'
import { openRepeatTrial } from './trial.ts'

/** Revisions take at most this share of what a destination takes. */
const SHARE = 0.5
/** Gap between revisions where the rate is not known. */
const GAP_MS = 2_000
/** Share of the quota that untold repeats of all destinations may take. */
const UNTOLD_SHARE = 0.25
/** A problem without an incident for this time is over. */
const IDLE_MS = 25 * 3_600_000
/** Idle bundles that are closed at once. */
const STEP = 64

type OwnDeps = 'rows' | 'notes' | 'storms' | 'edits' | 'gapMs' | 'absorb' | 'close'

interface RepeatDeps extends Omit<RevisionDeps, OwnDeps> {
  readonly rules: RepeatRules
  readonly flapRules: FlapRules
  readonly escalations: Pick<Escalations, 'resolve'>
  readonly stormRules: StormRulesByChannel
  readonly maxBacklog: number
  readonly problems: Pick<Problems, 'find'>
  readonly tellings: Pick<Tellings, 'firstMessage' | 'messageId'>
  readonly storms: Pick<Storms, 'isRuled' | 'isStormy' | 'attempted' | 'absorb'>
}

/**
 * Repeats of problems that fire. With the mode `fold` they get places in a bundle of their problem at each destination,
 * which revisions tell of: edits of its message, reminders, and the message of its end. Inside `write`.
 */
export interface RepeatsOfProblems extends RepeatRevisions {
  readonly look: ReturnType<typeof openRepeatArrivals>
  /** Outside of `write` too. */
  readonly tryRepeat: ReturnType<typeof openRepeatTrial>
  readonly notes: RepeatNotes
  /** Ends the flapping of problems that is over, and resolves their pages; bounded. */
  endFlaps(): OncallChange[]
  /** The digest with this number tells of repeats. */
  has(bundle: number): boolean
  flush(): void
  rollback(): void
  /** Reads the counts from disk; with the mode `each` it makes due what is untold. */
  load(): void
  shift(byMs: number): void
  /** Closes bundles of problems that are over. */
  prune(): void
}

export function openRepeatsOfProblems(context: StoreContext, deps: RepeatDeps): RepeatsOfProblems {
  const { db, counts, channels, now } = context
  const { rules, flapRules, stormRules, maxBacklog, problems, tellings, escalations, storms, bundles } = deps
  const rows = openRepeatRows(context, bundles)
  const notes = openRepeatNotes(context, { rules, rows, problems })
  const edits = (channel: ChannelName) => stormRules[channel]?.edits === true
  const gapMs = (channel: ChannelName) => {
    const rate = stormRules[channel]?.rate.perSecond
    return rate === undefined ? GAP_MS : 1_000 / (rate * SHARE)
  }
  const skipTold = command(
    db,
    'UPDATE bundles SET told = ?1, handed = CASE WHEN handed < ?1 THEN ?1 ELSE handed END WHERE id = ?2',
  )

  function close(bundle: RepeatBundle): void {
    // The settlement of its revision closes it.
    if (counts.repeats.get(bundle.destination)?.sending?.bundle === bundle.id) return
    rows.flush()
    rows.forget(bundle)
    countUntold(counts, bundle.destination, bundle.told - bundle.folded)
    bundles.close(bundle.id, now(), null)
    bundles.prune(now())
  }

  function absorb(lane: Lane<ChannelName>, bundle: RepeatBundle): void {
    // Its revision tells of them; what it does not cover is taken after it is settled.
    if (counts.repeats.get(lane.code)?.sending?.bundle === bundle.id) return
    rows.flush()
    const moved = storms.absorb(lane, bundle)
    if (moved === 0) return
    // Their places are in the digest of the storm now.
    bundle.told += moved
    skipTold.run(bundle.told, bundle.id)
    countUntold(counts, lane.code, -moved)
    rows.forget(bundle)
  }

  /** Makes the message of the end due at each destination that was told of its flapping. */
  function endFlap(fingerprint: string): void {
    for (const { code } of counts.lanes) {
      const bundle = rows.find(code, fingerprint)
      if (bundle?.flap !== FLAP.lasts) continue
      const isUnknown = bundle.revision === 0 && bundle.folded === bundle.told
      Object.assign(bundle, { answer: 0, due_at: now(), flap: isUnknown ? FLAP.over : FLAP.ending })
      rows.changed(bundle)
      if (isUnknown) close(bundle)
      else changeRepeats(counts, code, { dueAt: Math.min(now(), counts.repeats.get(code)?.dueAt ?? Infinity) })
    }
  }

  const flaps = openFlaps(context, { rules: flapRules, problems, escalations, ended: endFlap })
  const maxUntold = Math.floor((UNTOLD_SHARE * maxBacklog) / Math.max(1, channels.length))
  const isClosed = (lane: Lane<ChannelName>) =>
    (counts.repeats.get(lane.code)?.untold ?? 0) >= maxUntold || (storms.isRuled(lane) && storms.isStormy(lane))
  const shared = { rules, rows, storms, edits, absorb, close }
  const has = query<object>(db, 'SELECT 1 FROM bundles WHERE id = ? AND subject IS NOT NULL')
  return {
    look: openRepeatArrivals(context, { ...shared, problems, tellings, flaps, isClosed }),
    tryRepeat: openRepeatTrial(context, { rules, rows, problems, tellings, flaps, isClosed }),
    notes,
    ...openRepeatRevisions(context, { ...deps, ...shared, notes, gapMs }),
    has: (bundle) => has.get(bundle) !== undefined,
    flush: rows.flush,
    rollback() {
      rows.rollback()
      flaps.rollback()
    },
    endFlaps: flaps.end,
    ...openUpkeep(context, { rules, flaps, rows, bundles }),
  }
}

interface UpkeepDeps extends Pick<RevisionDeps, 'rules' | 'rows' | 'bundles'> {
  readonly flaps: Pick<ReturnType<typeof openFlaps>, 'load' | 'shift'>
}

function openUpkeep({ db, counts, now }: StoreContext, { rules, flaps, rows, bundles }: UpkeepDeps) {
  const open = 'subject IS NOT NULL AND closed_at IS NULL'
  const shift = command(db, `UPDATE bundles SET due_at = due_at + ?1, posted_at = posted_at + ?1 WHERE ${open}`)
  const idle = query<{ id: number; destination: number; subject: string }>(
    db,
    `SELECT id, destination, subject FROM bundles WHERE ${open} AND folded = told AND flap IS NULL AND due_at < ? LIMIT ${STEP}`,
  )
  const untold = query<{ destination: number; untold: number; due: number | null }>(
    db,
    `SELECT destination, sum(folded - told) AS untold, min(CASE WHEN folded > told OR flap = ${FLAP.ending} THEN due_at END) AS due
     FROM bundles WHERE ${open} GROUP BY destination`,
  )

  function closeIdle(before: number): void {
    for (const bundle of idle.all(before)) {
      bundles.close(bundle.id, now(), null)
      rows.forget(bundle)
    }
  }

  return {
    load(): void {
      command(db, `UPDATE bundles SET due_at = ?1 WHERE due_at > ?1 AND ${open}`).run(now() + rules.remindMs)
      command(db, `UPDATE bundles SET posted_at = ?1 WHERE posted_at > ?1 AND ${open}`).run(now())
      if (rules.mode === 'each') {
        command(
          db,
          `UPDATE bundles SET answer = 0, due_at = ?1, posted_at = 0 WHERE ${open} AND flap IS NULL AND answer IS NULL AND folded > told`,
        ).run(now())
        command(db, `UPDATE bundles SET closed_at = ? WHERE ${open} AND flap IS NULL AND folded = told`).run(now())
      }
      flaps.load()
      counts.repeats.clear()
      for (const { destination, untold: places, due } of untold.all())
        changeRepeats(counts, destination, { untold: places, dueAt: due ?? Infinity })
    },
    shift(byMs: number): void {
      flaps.shift(byMs)
      if (counts.repeats.size === 0) return
      rows.flush()
      rows.rollback()
      shift.run(byMs)
      for (const [code, { dueAt, notBefore }] of counts.repeats)
        changeRepeats(counts, code, { dueAt: dueAt + byMs, notBefore: notBefore + byMs })
    },
    prune(): void {
      if (counts.repeats.size > 0) closeIdle(now() - IDLE_MS)
    },
  }
}
