import type { ChannelName } from '../../domain/delivery/delivery.ts'
import { severityRank } from '../../domain/severity.ts'
import { begun } from '../../policy/bundles/bundle.ts'
import type { IncidentGroup } from '../../policy/bundles/group.ts'
import { type GroupPlacement, placeInGroup } from '../../policy/bundles/group-place.ts'
import type { Pace } from '../../policy/bundles/pace.ts'
import type { Decision } from '../../policy/decision.ts'
import { newsOf } from '../../policy/repeat.ts'
import { countNews, type Lane } from '../engine/counts.ts'
import { withoutNul } from '../engine/statement.ts'
import type { StoreParts } from '../parts.ts'
import type { RepeatTrial, TriedDestination } from '../ports/noise.ts'
import { type Arriving, alertOfDraft } from '../problems/arrived.ts'
import type { Absorb } from './absorb.ts'
import type { Placed } from './arrivals.ts'
import type { Placement } from './placement.ts'
import type { Revise } from './revise.ts'
import { type BundleRow, type BundleRows, type GroupRow, type GroupState, isGroup } from './rows.ts'
import { untoldOf } from './settled.ts'
import type { Tallies } from './sums/tallies.ts'
import type { TallyFacts } from './sums/tally.ts'

/** A group of this age, or with so many problems, takes no more alerts. */
const MAX_AGE_MS = 24 * 3_600_000
const MAX_PROBLEMS = 1_000
/** Open groups of all destinations; more alerts are messages like any others. */
const MAX_OPEN = 10_000

/** How an incident stands to its group. */
export interface GroupArrival {
  /** Returns its place in the group, or that of its own message (`single`); undefined: it is placed like any other. */
  place(lane: Lane<ChannelName>, single: () => Placement): Placement | undefined
  /** Records where it was placed. */
  placed(lane: Lane<ChannelName>, placement: Placed): void
}

interface GroupDeps {
  readonly rows: BundleRows
  readonly revise: Pick<Revise, 'move' | 'handOver'>
  readonly tallies: Pick<Tallies, 'find' | 'add' | 'firing' | 'ended' | 'flush'>
  readonly absorb: Pick<Absorb, 'repeats'>
  pace(lane: Lane<ChannelName>, intervalMs: number): Pace
  isStormy(lane: Lane<ChannelName>): boolean
  /** Untold places take all that they may of a destination's share. */
  isFull(lane: Lane<ChannelName>): boolean
}

/** Opens the places of incidents in groups. Inside `write`. */
export function openGroups(context: StoreParts, deps: GroupDeps) {
  const { counts, now, problems, groupOf } = context
  const { rows, tallies, absorb, revise, pace, isStormy, isFull } = deps
  const { move, handOver } = revise

  function change(id: number, group: Partial<GroupState>): void {
    const row = rows.find(id)
    if (isGroup(row)) rows.set({ ...row, group: { ...row.group, ...group } })
  }

  /** Returns whether another problem of a group fires. Problems that ended without an incident leave it. */
  function othersFire({ id, group }: GroupRow, { fingerprint, problem }: TallyFacts): boolean {
    const fires = (one: string) => one !== fingerprint && problems.find(one)?.state === 'firing'
    if (fires(group.fires)) return true
    for (;;) {
      tallies.flush()
      const found = tallies.firing(id, problem)
      if (found.length === 0) return false
      for (const one of found) {
        if (fires(one.fingerprint)) {
          change(id, { fires: one.fingerprint })
          return true
        }
        tallies.ended(id, one.problem)
      }
    }
  }

  /** As `othersFire`, of the first 64 problems, and changes nothing. */
  function mayFire({ id, group }: GroupRow, { fingerprint, problem }: Pick<TallyFacts, 'fingerprint' | 'problem'>) {
    const all = [group.fires, ...tallies.firing(id, problem).map((one) => one.fingerprint)]
    return all.some((one) => one !== fingerprint && problems.find(one)?.state === 'firing')
  }

  const isNew = ({ id }: GroupRow, facts: Pick<TallyFacts, 'problem' | 'incident'>) =>
    tallies.find(id, facts) === undefined

  /** A storm at the destination since its begin has ended it. */
  const hasRoom = ({ code }: Lane, row: GroupRow, facts: Pick<TallyFacts, 'problem' | 'incident'>) =>
    row.id > (counts.storms.get(code)?.last ?? 0) &&
    now() - row.bundle.since < MAX_AGE_MS &&
    (row.group.problems < MAX_PROBLEMS || !isNew(row, facts))

  /** Returns the group that takes an incident now. One that takes no more is ended. */
  function current(lane: Lane<ChannelName>, key: string, facts: TallyFacts, wasFiring: boolean): GroupRow | undefined {
    const row = rows.takingGroup(lane.code, key)
    if (row === undefined) return undefined
    const takes = hasRoom(lane, row, facts) && (facts.status === 'resolved' || wasFiring || othersFire(row, facts))
    if (takes) return rows.takingGroup(lane.code, key)
    move(rows.find(row.id) ?? row, { kind: 'ends', how: 'when due' })
    return undefined
  }

  function begin(lane: Lane<ChannelName>, own: IncidentGroup, facts: TallyFacts, since: number): void {
    if (counts.openGroups >= MAX_OPEN) return
    const { key: subject, intervalMs } = own
    const { incident: firstIncident, severity, fingerprint: fires } = facts
    const bundle = begun({ kind: 'group', since, postedAt: since, now: now() }, pace(lane, intervalMs))
    const group = { level: severityRank(severity), problems: 1, fires, intervalMs, told: 1, handed: 1, posted: null }
    tallies.add(rows.open(lane, { subject, bundle, messageId: null, firstIncident, group }), facts, 'singly')
  }

  /** Adds an incident to the counts of a group; returns its state. */
  function counted(row: GroupRow, facts: TallyFacts, how: 'folded' | 'singly'): GroupState {
    const added = Number(isNew(row, facts))
    tallies.add(row, facts, how)
    const { group } = row
    if (facts.status === 'resolved') return group
    const { problems: known, level } = group
    const { fingerprint: fires, severity } = facts
    return { ...group, fires, problems: known + added, level: Math.min(level, severityRank(severity)) }
  }

  /** Returns the repeats of the problem whose message a group has. */
  const repeatsOf = ({ code }: Lane, { firstIncident }: GroupRow) => rows.startedBy(code, firstIncident ?? 0, 'repeats')

  /** The repeats of the problem whose message it has are places of the group. */
  function takeOver(lane: Lane<ChannelName>, row: GroupRow): void {
    const repeats = repeatsOf(lane, row)
    if (repeats === undefined) return
    handOver(lane, repeats)
    move(rows.find(repeats.id) ?? repeats, { kind: 'ends', how: 'when due' })
  }

  /** Returns the place of the next incident. `takeOver` gives the repeats theirs before the first one. */
  function nextPlace(lane: Lane<ChannelName>, row: GroupRow): number {
    const { folded } = row.bundle
    const repeats = folded === 0 ? repeatsOf(lane, row) : undefined
    return folded + 1 + (repeats === undefined || repeats.bundle.sending !== undefined ? 0 : untoldOf(repeats))
  }

  function fold(lane: Lane<ChannelName>, row: GroupRow, facts: TallyFacts, urgent: boolean): Placement {
    if (row.bundle.folded === 0) {
      // The burst that makes it a group is told together.
      move(row, { kind: 'posted' })
      takeOver(lane, row)
    }
    const last = rows.find(row.id) ?? row
    const group = isGroup(last) ? counted(last, facts, 'folded') : row.group
    move(last, { kind: 'placed', count: 1, urgent }, { group })
    countNews(counts, 'grouped', lane)
    return { kind: 'fold', bundle: row.id, place: last.bundle.folded + 1 }
  }

  return {
    /** Makes the next untold places of a problem ones of the group that has its message; returns their number. */
    absorb(lane: Lane<ChannelName>, from: BundleRow): number {
      const row = rows.startedBy(lane.code, from.firstIncident ?? 0, 'group')
      if (row === undefined) return 0
      const { count } = absorb.repeats(lane, row, from)
      move(row, { kind: 'placed', count, urgent: false })
      return count
    },
    /** Returns where an incident would go if it was committed now; undefined: its group has no say. Changes nothing. */
    tryPlace(lane: Lane<ChannelName>, trial: RepeatTrial): TriedDestination | undefined {
      const { group, status, severity } = trial
      const fingerprint = withoutNul(trial.fingerprint)
      const row = group === undefined ? undefined : rows.takingGroup(lane.code, group.key)
      const problem = problems.find(fingerprint)
      const facts = { problem: problem?.id ?? Infinity, incident: Infinity }
      if (row === undefined || group === undefined || isStormy(lane) || !hasRoom(lane, row, facts)) return undefined
      const isResolved = status === 'resolved'
      if (isResolved && isNew(row, facts)) return undefined
      const othersFire = mayFire(row, { fingerprint, problem: problem?.id ?? 0 })
      if (!isResolved && problem?.state !== 'firing' && !othersFire) return undefined
      const news = newsOf(problem, trial)
      const isShared = row.group.problems > 1 || isNew(row, facts)
      const view = { level: row.group.level, isShared, othersFire, isFull: isFull(lane) }
      const what = placeInGroup(view, { status, severity, news, priority: group.priority })
      if (what === 'louder') return { kind: 'message', because: 'louder than its group' }
      if (what === 'ends') return { kind: 'message', because: 'resolved' }
      if (what === 'single') return undefined
      return { kind: 'fold', digest: row.id, place: nextPlace(lane, row), inGroup: true }
    },
    /** Looks at an incident that is about to be applied; undefined: it is in no group. */
    look(arriving: Arriving, decision: Pick<Decision, 'group' | 'priority'>): GroupArrival | undefined {
      const { draft, incident } = arriving
      // One that comes again from quarantine is older than its group.
      if (groupOf === undefined || decision.group === undefined || incident <= counts.appliedUpTo) return undefined
      const own = groupOf(draft, decision.group)
      if (own === undefined) return undefined
      const alert = alertOfDraft(arriving)
      const { status, severity } = alert
      const problem = problems.find(alert.fingerprint)
      // A new problem has the number of its first incident.
      const facts = { ...alert, problem: problem?.id ?? incident, createdAt: draft.createdAt }
      const news = newsOf(problem, alert)
      let what: GroupPlacement = 'single'

      /** The resolution of a problem that the group does not know. */
      const isStranger = (row: GroupRow) => status === 'resolved' && isNew(row, facts)

      function placeIn(lane: Lane<ChannelName>, row: GroupRow | undefined): GroupPlacement {
        const known = row !== undefined && isStranger(row) ? undefined : row
        const view = known && {
          level: known.group.level,
          isShared: known.group.problems > 1 || isNew(known, facts),
          othersFire: status === 'resolved' && othersFire(known, facts),
          isFull: isFull(lane),
        }
        return placeInGroup(view, { status, severity, priority: decision.priority, news })
      }

      return {
        place(lane, single) {
          what = 'single'
          if (isStormy(lane)) return undefined
          what = placeIn(lane, current(lane, own.key, facts, problem?.state === 'firing'))
          // The look at it may have changed its sums.
          const row = rows.takingGroup(lane.code, own.key)
          if (row !== undefined && (what === 'fold' || what === 'rings'))
            return fold(lane, row, facts, what === 'rings')
          return what === 'louder' || what === 'ends' ? single() : undefined
        },
        placed(lane, { kind }) {
          if (what === 'fold' || what === 'rings' || isStormy(lane)) return
          if (what === 'begins') return kind === 'single' ? begin(lane, own, facts, alert.committedAt) : undefined
          const row = rows.takingGroup(lane.code, own.key)
          if (row === undefined || kind === 'held' || kind === 'silenced' || isStranger(row)) return
          // Repeats of its only problem are told beside that.
          if (kind === 'single') change(row.id, counted(row, facts, 'singly'))
          if (status === 'firing' || othersFire(row, facts)) return
          const last = rows.find(row.id) ?? row
          if (kind === 'single' && what === 'ends') move(last, { kind: 'ends', how: 'answered' }, { answer: incident })
          else move(last, { kind: 'ends', how: 'when due' })
        },
      }
    },
  }
}
