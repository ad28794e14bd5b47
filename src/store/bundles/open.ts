import type { ChannelName } from '../../domain/delivery.ts'
import type { BundleKind } from '../../policy/bundle-state.ts'
import { type Pace, paceOf } from '../../policy/pace.ts'
import { BUNDLE_KIND, BUNDLE_STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Lane } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { StormRulesByChannel } from '../noise/rules.ts'
import type { Storms } from '../noise/storms.ts'
import type { Problems } from '../problems/problems.ts'
import type { Tellings } from '../tellings/tellings.ts'
import { type Arrivals, openArrivals } from './arrivals.ts'
import { openProblemMessages } from './message.ts'
import { openNotes, type RepeatNotes } from './notes.ts'
import type { Records } from './records.ts'
import { openRevise, type Revise } from './revise.ts'
import { type BundleRows, openBundleRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'
import { openTrial } from './trial.ts'

/** Revisions take at most this share of what a destination takes. */
const SHARE = 0.5
/** Gap between revisions where the rate is not known. */
const GAP_MS = 2_000
/** Share of the quota that untold places of all destinations may take. */
const UNTOLD_SHARE = 0.25

type ReviseDeps = Parameters<typeof openRevise>[1]
type MessageDeps = Parameters<typeof openProblemMessages>[1]

interface BundleDeps
  extends Pick<ReviseDeps, 'leases' | 'ledger' | 'notices'>,
    Pick<MessageDeps, 'payloads' | 'decisions'> {
  readonly rules: RepeatRules
  readonly stormRules: StormRulesByChannel
  readonly maxBacklog: number
  readonly records: Records
  readonly problems: Pick<Problems, 'find' | 'flapping'>
  readonly tellings: Pick<Tellings, 'firstMessage' | 'messageId'>
  readonly storms: Pick<Storms, 'isRuled' | 'isStormy' | 'attempted' | 'absorb'>
}

/**
 * Bundles beside the message of a problem, or of a group: their incidents get places, which revisions tell of. Inside `write`.
 */
export interface Bundles extends Omit<Revise, 'move' | 'handOver'> {
  readonly look: Arrivals['look']
  /** Outside of `write` too. */
  readonly tryRepeat: ReturnType<typeof openTrial>
  readonly notes: RepeatNotes
  /** Makes the message about the end due at each destination that was told that a problem flaps. */
  flappingEnded(fingerprint: string): void
  /** The digest with this number is one of these. */
  has(bundle: number): boolean
  flush(): void
  commit(): void
  rollback(): void
  /** Reads the counts from disk; where repeats are not folded any more it makes due what is untold. */
  load(): void
  shift(byMs: number): void
}

export function openBundles(context: StoreContext, deps: BundleDeps): Bundles {
  const { counts, channels } = context
  const { rules, stormRules, maxBacklog, records, problems, storms } = deps
  const rows = openBundleRows(context, records)
  const notes = openNotes(context, { rules, rows, problems })
  const edits = (channel: ChannelName) => stormRules[channel]?.edits === true
  const pace = ({ destination }: Lane<ChannelName>, kind: BundleKind): Pace =>
    paceOf(kind, { edits: edits(destination), remindMs: rules.remindMs })
  const isStormy = (lane: Lane<ChannelName>) => storms.isRuled(lane) && storms.isStormy(lane)
  const revise = openRevise(context, {
    ...deps,
    rows,
    rules: { pace, ...openProblemMessages(context, { ...deps, notes, isStormy }) },
    gapMs(channel) {
      const rate = stormRules[channel]?.rate.perSecond
      return rate === undefined ? GAP_MS : 1_000 / (rate * SHARE)
    },
    absorb: storms.absorb,
    attempted: storms.attempted,
  })
  const maxUntold = Math.floor((UNTOLD_SHARE * maxBacklog) / Math.max(1, channels.length))
  const isClosed = (lane: Lane<ChannelName>) =>
    (counts.bundles.get(lane.code)?.untold ?? 0) >= maxUntold || isStormy(lane)
  const shared = { rules, rows, problems, isClosed, tellings: deps.tellings }
  const { look, flappingEnded } = openArrivals(context, { ...shared, revise, pace })
  return {
    look,
    flappingEnded,
    tryRepeat: openTrial(context, shared),
    notes,
    ...revise,
    has: (bundle) => rows.find(bundle) !== undefined,
    flush: rows.flush,
    commit: rows.commit,
    rollback: rows.rollback,
    ...openUpkeep(context, { rules, rows }),
  }
}

/** Opens what changes all bundles at once. */
function openUpkeep(
  { db, counts, now }: StoreContext,
  { rules, rows }: { readonly rules: RepeatRules; readonly rows: BundleRows },
) {
  const open = 'subject IS NOT NULL AND closed_at IS NULL'
  const shift = command(
    db,
    `UPDATE bundles SET due_at = due_at + ?1, told_at = told_at + ?1, posted_at = posted_at + ?1 WHERE ${open}`,
  )
  const untold = query<{ destination: number; untold: number; due: number | null }>(
    db,
    `SELECT destination, sum(folded - told) AS untold, min(due_at) AS due FROM bundles WHERE ${open} GROUP BY destination`,
  )

  /** Makes due what is untold of repeats, and closes the others. */
  function endRepeats(): void {
    const repeats = `${open} AND kind = ${BUNDLE_KIND.repeats} AND state = ${BUNDLE_STATE.open}`
    const { ending, closed } = BUNDLE_STATE
    command(
      db,
      `UPDATE bundles SET state = ${ending}, due_at = ?1, posted_at = 0 WHERE ${repeats} AND folded > told`,
    ).run(now())
    command(
      db,
      `UPDATE bundles SET state = ${closed}, due_at = NULL, closed_at = ? WHERE ${repeats} AND folded = told`,
    ).run(now())
  }

  return {
    load(): void {
      const bound = (time: string, to: number, which: string) =>
        command(db, `UPDATE bundles SET ${time} = ?1 WHERE ${time} > ?1 AND ${which}`).run(to)
      bound('due_at', now() + rules.remindMs, `${open} AND (folded > told OR state = ${BUNDLE_STATE.ending})`)
      bound('told_at', now(), open)
      bound('posted_at', now(), open)
      if (rules.mode === 'each') endRepeats()
      rows.load()
      counts.bundles.clear()
      for (const { destination, untold: places, due } of untold.all())
        counts.bundles.set(destination, { untold: places, dueAt: due ?? Infinity, notBefore: 0 })
    },
    shift(byMs: number): void {
      if (counts.bundles.size === 0) return
      rows.flush()
      shift.run(byMs)
      rows.forget()
      for (const [code, lane] of counts.bundles)
        counts.bundles.set(code, { ...lane, dueAt: lane.dueAt + byMs, notBefore: lane.notBefore + byMs })
    },
  }
}
