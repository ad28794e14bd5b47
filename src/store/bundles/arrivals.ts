import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { begun } from '../../policy/bundles/bundle.ts'
import type { BundleKind } from '../../policy/bundles/bundle-state.ts'
import type { Pace } from '../../policy/bundles/pace.ts'
import type { Problem, ProblemAlert } from '../../policy/problem.ts'
import { type FlapStep, isAcknowledged, isRepeat } from '../../policy/repeat.ts'
import { countNews, type Lane } from '../engine/counts.ts'
import type { StoreParts } from '../parts.ts'
import { type Arriving, alertOfDraft } from '../problems/arrived.ts'
import type { Placement } from './placement.ts'
import type { Revise } from './revise.ts'
import type { BundleRow, BundleRows } from './rows.ts'
import type { RepeatRules } from './rules.ts'

/** A place of a delivery, or that a silence keeps it. */
export type Placed = Placement | { readonly kind: 'held' | 'silenced' }

/** How an incident stands to its problem. */
export interface Recurrence {
  /** Its problem fires already. */
  readonly isRepeat: boolean
  /** A person has acknowledged its problem: it pages nobody. */
  readonly isAcknowledged: boolean
  /** Since when its problem flaps, epoch milliseconds: the pager is told once, and of the end when that is over. */
  readonly flapSince: number | undefined
  /** Returns its place beside the first message of its problem; undefined: it is placed like any other incident. */
  place(lane: Lane<ChannelName>): Placement | undefined
  /** Records where an incident was placed. */
  placed(lane: Lane<ChannelName>, placement: Placed): void
}

interface ArrivalDeps {
  readonly rules: RepeatRules
  readonly rows: BundleRows
  readonly revise: Pick<Revise, 'move' | 'handOver'>
  pace(lane: Lane<ChannelName>, kind: BundleKind): Pace
  /** The destination takes no more places beside messages now: incidents are placed like any other. */
  isClosed(lane: Lane<ChannelName>): boolean
}

/** Opens the places of incidents that recur. Inside `write`. */
export function openArrivals(context: StoreParts, deps: ArrivalDeps) {
  const { counts, now, problems, tellings } = context
  const { rules, rows, revise, pace, isClosed } = deps
  const { move, handOver } = revise

  /** Returns the bundle of the problem; one of an earlier time that it fired, or flapped, is ended. */
  function current(
    lane: Lane<ChannelName>,
    { fingerprint, since, kind }: { fingerprint: string; since: number; kind: 'repeats' | 'flapping' },
  ): BundleRow | undefined {
    const row = rows.taking(lane.code, fingerprint)
    if (row === undefined || (row.bundle.since === since && row.bundle.kind === kind)) return row
    move(row, { kind: 'ends', how: 'when due' })
    return undefined
  }

  function begin(lane: Lane<ChannelName>, problem: Problem): BundleRow | undefined {
    const { fingerprint: subject, openedAt: since, lastAt: postedAt } = problem
    const first = tellings.firstMessage(lane.code, problem)
    if (first === undefined) return undefined
    const { incident: firstIncident, messageId } = first
    return open(lane, { subject, kind: 'repeats', since, postedAt, firstIncident, messageId })
  }

  function open(lane: Lane<ChannelName>, { kind, since, postedAt, ...row }: Opening): BundleRow {
    const facts = { kind, since, postedAt, now: now() } as const
    return rows.open(lane, { ...row, bundle: begun(facts, pace(lane, kind)) })
  }

  function fold(lane: Lane<ChannelName>, row: BundleRow, isFiring: boolean): Placement {
    const { id, firing, bundle } = row
    move(row, { kind: 'placed', count: 1, urgent: false }, { firing: firing + (isFiring ? 1 : 0) })
    countNews(counts, bundle.kind === 'repeats' ? 'repeated' : 'flapped', lane)
    return { kind: 'fold', bundle: id, place: bundle.folded + 1 }
  }

  function answered(lane: Lane<ChannelName>, row: BundleRow, { kind }: Placed, incident: number): void {
    if (kind === 'single') return void move(row, { kind: 'ends', how: 'answered' }, { answer: incident })
    if (kind === 'fold') handOver(lane, row)
    move(rows.find(row.id) ?? row, { kind: 'ends', how: 'when due' })
  }

  const flapping = ({ fingerprint, status }: ProblemAlert, { flap: { since }, news }: FlapStep): Recurrence => ({
    isRepeat: news === undefined,
    isAcknowledged: false,
    flapSince: since,
    place(lane) {
      if (news !== undefined || isClosed(lane)) return undefined
      const of = { kind: 'flapping', since } as const
      const untold = { subject: fingerprint, postedAt: 0, firstIncident: null, messageId: null }
      const row = current(lane, { ...of, fingerprint }) ?? open(lane, { ...of, ...untold })
      return fold(lane, row, status === 'firing')
    },
    placed() {},
  })

  return {
    /** Looks at an incident that is about to be applied; undefined while every incident is a message. */
    look(arriving: Arriving): Recurrence | undefined {
      const { incident, committedAt, draft } = arriving
      // One that comes again from quarantine is older than its problem.
      if ((rules.mode === 'each' && !problems.flapping.isEnabled) || incident <= counts.appliedUpTo) return undefined
      const alert = alertOfDraft(arriving)
      const problem = problems.find(alert.fingerprint)
      const flap = problems.flapping.step(alert, problem)
      if (flap !== undefined) return flapping(alert, flap)
      if (rules.mode === 'each') return undefined
      if (problem === undefined) return UNKNOWN
      const repeats = isRepeat(problem, alert)
      const { fingerprint, openedAt } = problem
      return {
        isRepeat: repeats,
        flapSince: undefined,
        isAcknowledged: repeats && isAcknowledged(problem, committedAt),
        place(lane) {
          if (!repeats || isClosed(lane)) return undefined
          const row = current(lane, { fingerprint, since: openedAt, kind: 'repeats' }) ?? begin(lane, problem)
          return row && fold(lane, row, true)
        },
        placed(lane, placement) {
          const row = rows.taking(lane.code, fingerprint)
          if (row === undefined) return
          if (draft.status === 'resolved') answered(lane, row, placement, incident)
          else if (problem.state === 'resolved') move(row, { kind: 'ends', how: 'when due' })
          // The message of this incident is the one to edit from now on.
          else if (placement.kind === 'single')
            move(row, { kind: 'posted' }, { firstIncident: incident, messageId: null })
        },
      }
    },
    /** Makes the message of the end due at each destination that was told of its flapping. */
    flappingEnded(fingerprint: string): void {
      for (const { code } of counts.lanes) {
        const row = rows.taking(code, fingerprint)
        if (row?.bundle.kind !== 'flapping') continue
        const isUnknown = row.bundle.revision === 0 && row.bundle.folded === row.bundle.told
        move(row, { kind: 'ends', how: isUnknown ? 'when due' : 'said' })
      }
    },
  }
}

interface Opening extends Pick<BundleRow, 'subject' | 'firstIncident' | 'messageId'> {
  readonly kind: 'repeats' | 'flapping'
  readonly since: number
  readonly postedAt: number
}

const UNKNOWN: Recurrence = {
  isRepeat: false,
  isAcknowledged: false,
  flapSince: undefined,
  place: () => undefined,
  placed() {},
}
