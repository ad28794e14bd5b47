import type { ChannelName, Destination } from '../../domain/delivery/delivery.ts'
import { severityRank } from '../../domain/severity.ts'
import { begun, nextAt } from '../../policy/bundles/bundle.ts'
import type { BundleEvent } from '../../policy/bundles/bundle-state.ts'
import {
  type Alert,
  calm,
  calmAt,
  type LaneEffect,
  type LaneEvent,
  laneStep,
  loadOf,
  type Unfinished,
} from '../../policy/bundles/lane.ts'
import { paceOf } from '../../policy/bundles/pace.ts'
import type { StormParameters } from '../../policy/bundles/storm-parameters.ts'
import type { StoreContext } from '../engine/context.ts'
import { countNews, type Lane, type LaneStorm, queueOf } from '../engine/counts.ts'
import type { openRules } from '../noise/rules.ts'
import type { DigestChange } from '../ports/noise.ts'
import type { Absorb } from './absorb.ts'
import { openLaneStates } from './lane-states.ts'
import { type NewAlert, NORMAL_SINGLE, type Placement, type TriedAlert } from './placement.ts'
import type { Revise } from './revise.ts'
import type { BundleRow, BundleRows } from './rows.ts'
import type { openSeed } from './seed.ts'
import type { Tallies } from './sums/tallies.ts'

/** State and parameters of a destination under storm rules. */
interface LaneNoise {
  readonly lane: Lane<ChannelName>
  readonly storm: LaneStorm
  /** The open digest; undefined: calm. */
  readonly row: BundleRow | undefined
  readonly parameters: StormParameters
  readonly unfinished: Unfinished
}

interface StormDeps {
  readonly rulesOf: ReturnType<typeof openRules>
  readonly rows: BundleRows
  readonly tallies: Tallies
  readonly absorb: Absorb
  readonly seed: ReturnType<typeof openSeed>
  readonly move: Revise['move']
  /** Makes due what waits for the destination. */
  makeDue(lane: Lane): void
}

/**
 * Storms of the destinations: each decides with `laneStep` whether a new delivery is a single or a place of the open digest.
 * States are in memory and, by the end of the transaction, on disk. All that changes something inside `write`.
 */
export type Storms = ReturnType<typeof openStorms>

export function openStorms(context: StoreContext, deps: StormDeps) {
  const { db, counts, lanes, channels, now } = context
  const { rulesOf, rows, tallies, absorb, seed, makeDue } = deps
  const states = openLaneStates(db)
  const current = (lane: Lane): LaneStorm => counts.storms.get(lane.code) ?? fresh(now())
  const digestOf = (lane: Lane): BundleRow | undefined => rows.find(counts.storms.get(lane.code)?.bundle)
  function set(lane: Lane, changes: Partial<LaneStorm>): void {
    counts.storms.set(lane.code, { ...current(lane), ...changes })
    counts.changedStorms.add(lane.code)
  }

  function unfinishedOf({ code }: Lane): Unfinished {
    const [normal, urgent] = [queueOf(counts, 'delivery', code), queueOf(counts, 'urgent', code)]
    const urgents = urgent.pending + urgent.sending
    return { urgents, singles: urgents + normal.pending + normal.sending }
  }

  const isStormy = ({ code }: Lane) => counts.storms.get(code)?.bundle !== undefined
  function openOn(destination: Destination): number {
    let open = 0
    for (const lane of lanes.all(destination)) if (isStormy(lane)) open++
    return open
  }
  const parametersOf = ({ destination }: Lane) => rulesOf(destination)?.parameters(openOn(destination))
  const isRuled = ({ destination }: Lane) => rulesOf(destination)?.enable === true
  const rulingOn = (lane: Lane) => (isRuled(lane) ? parametersOf(lane) : undefined)

  function step(lane: Lane, event: LaneEvent): readonly LaneEffect[] {
    const parameters = parametersOf(lane)
    if (parameters === undefined) return []
    const was = current(lane)
    const [state, effects] = laneStep(was.state, event, now(), parameters)
    if (state !== was.state) set(lane, { state })
    for (const effect of effects) if (effect.kind === 'open') open(lane, effect, parameters)
    return effects
  }

  function move(lane: Lane, event: BundleEvent): void {
    const row = digestOf(lane)
    if (row !== undefined) deps.move(row, event)
  }

  function open(lane: Lane, { since, keep }: Extract<LaneEffect, { kind: 'open' }>, storm: StormParameters): void {
    const at = now()
    const pace = paceOf('storm', { edits: storm.edits, remindMs: 0, storm })
    const bundle = begun({ kind: 'storm', since, postedAt: at, now: at }, pace)
    const row = rows.open(lane, { subject: null, bundle, messageId: null, firstIncident: null })
    set(lane, { bundle: row.id, last: row.id })
    seed(lane, row)
    absorbed(lane, absorb.beyond(lane, row, keep))
    const folded = digestOf(lane)?.bundle.folded ?? 0
    recordChange(lane, { digest: row.id, action: 'opened', folded, told: 0 })
  }

  /** Opens a storm where more waits than the rules let. */
  function flood(lane: Lane): BundleRow | undefined {
    step(lane, { kind: 'flooded' })
    return digestOf(lane)
  }

  function absorbed(lane: Lane, { count, urgent }: { readonly count: number; readonly urgent: boolean }): void {
    if (count === 0) return
    move(lane, { kind: 'placed', count, urgent })
    countFolded(lane, count)
  }

  const countFolded = ({ destination }: Lane, added: number) => countNews(counts, 'folded', { destination, added })

  function recordChange({ destination, target }: Lane, change: Omit<DigestChange, 'channel' | 'target'>): void {
    const channel = destination as ChannelName
    const digestChanges = [...counts.news.digestChanges, { channel, target, ...change }]
    counts.news = { ...counts.news, digestChanges }
  }

  function placeByRules(lane: Lane, alert: NewAlert, parameters: StormParameters): Placement {
    const unfinished = unfinishedOf(lane)
    // The digest is opened before the incident is looked at, because its problem may be known to it.
    if (loadOf(current(lane).state, unfinished, now(), parameters) >= parameters.maxLoad) flood(lane)
    const row = digestOf(lane)
    const [effect] = step(lane, arrived(lane, alert, row, alert.committedAt))
    set(lane, { arrived: current(lane).arrived + 1 })
    if (effect?.kind === 'fold' && row !== undefined) {
      tallies.add(row, alert, 'folded')
      move(lane, { kind: 'placed', count: 1, urgent: effect.urgent })
      countFolded(lane, 1)
      return { kind: 'fold', bundle: row.id, place: row.bundle.folded + 1 }
    }
    if (row !== undefined) tallies.add(row, alert, 'singly')
    return effect?.kind === 'single' ? { kind: 'single', rank: effect.rank } : NORMAL_SINGLE
  }

  function alertOf(alert: TriedAlert, row: BundleRow | undefined): Alert {
    const { status, priority, severity, isRepeat } = alert
    const known = row && tallies.find(row.id, alert)
    const answersSingle = known !== undefined && known.singly_firing > known.singly_resolved
    const isNews = !isRepeat && (known === undefined || severityRank(severity) < known.level)
    return { status, priority, isNews, answersSingle }
  }

  function arrived(lane: Lane, alert: TriedAlert, row: BundleRow | undefined, committedAt: number): LaneEvent {
    const facts = { alert: alertOf(alert, row), unfinished: unfinishedOf(lane), committedAt }
    return { kind: 'arrived', ...facts, isEnding: row?.bundle.state === 'ending' }
  }

  function clockMoved(lane: Lane, byMs: number): void {
    step(lane, { kind: 'clock moved', byMs })
    move(lane, { kind: 'clock moved', byMs })
  }

  function waitsAfterFailure(lane: Lane): boolean {
    const { retrying = false, dueAt = 0 } = digestOf(lane)?.bundle ?? {}
    return (retrying && dueAt > now()) || states.hasRetries(lane.code, now())
  }

  return {
    /** The destination has storm rules now. */
    isRuled,
    /** The destination's reader is flooded now. */
    isStormy,
    parametersOf,
    /** Returns whether the open digest would take an alert that is committed now. */
    takes(lane: Lane, alert: TriedAlert): boolean {
      const [row, parameters] = [digestOf(lane), rulingOn(lane)]
      if (row === undefined || parameters === undefined) return false
      const [, [effect]] = laneStep(current(lane).state, arrived(lane, alert, row, now()), now(), parameters)
      return effect?.kind === 'fold'
    },
    place(lane: Lane, alert: NewAlert): Placement {
      const parameters = rulingOn(lane)
      return parameters === undefined ? NORMAL_SINGLE : placeByRules(lane, alert, parameters)
    },
    /** Returns how many more singles that are not urgent may go to the sender; Infinity without rules. */
    window(lane: Lane): number {
      const parameters = rulingOn(lane)
      if (parameters === undefined) return Infinity
      const handed = parameters.maxHanded[isStormy(lane) ? 'storm' : 'calm']
      return Math.max(0, handed - queueOf(counts, 'delivery', lane.code).sending)
    },
    digestOf,
    /** Returns when the storm is over if nothing arrives, epoch milliseconds. */
    calmAt(lane: Lane): number {
      const parameters = parametersOf(lane)
      return parameters === undefined ? Infinity : calmAt(current(lane).state, unfinishedOf(lane), parameters)
    },
    /** Returns the epoch milliseconds of the next revision; Infinity: none is due without another event. */
    nextAt(lane: Lane): number {
      const row = digestOf(lane)
      const storm = row === undefined ? undefined : parametersOf(lane)
      if (row === undefined || storm === undefined) return Infinity
      const pace = paceOf('storm', { edits: storm.edits, remindMs: 0, storm })
      return nextAt(row.bundle, pace, calmAt(current(lane).state, unfinishedOf(lane), storm))
    },
    noiseOf(lane: Lane<ChannelName>): LaneNoise | undefined {
      const parameters = parametersOf(lane)
      if (parameters === undefined || !(isRuled(lane) || counts.storms.has(lane.code))) return undefined
      return { lane, storm: current(lane), row: digestOf(lane), parameters, unfinished: unfinishedOf(lane) }
    },
    /** Opens a digest unless one is open, and makes places of dead deliveries; false: the destination has no rules. */
    revive(lane: Lane, incidents: readonly number[]): boolean {
      const row = isRuled(lane) ? (digestOf(lane) ?? flood(lane)) : undefined
      if (row !== undefined) absorbed(lane, absorb.dead(lane, row, incidents))
      return row !== undefined
    },
    /** Makes untold places of another bundle ones of the open digest; returns their number. */
    absorb(lane: Lane, from: BundleRow): number {
      const row = digestOf(lane)
      if (row === undefined) return 0
      const repeats = absorb.repeats(lane, row, from)
      absorbed(lane, repeats)
      return repeats.count
    },
    /** Opens a digest where the revisions of groups and of problems that flap, with the singles, are more than may wait. */
    openForMass(lane: Lane): void {
      if ((counts.bundles.get(lane.code)?.dueAt ?? Infinity) > now()) return
      const parameters = rulingOn(lane)
      if (parameters === undefined) return
      const due = rows.massDue(lane.code, parameters.maxLoad + 1)
      if (due > 0 && due + unfinishedOf(lane).singles > parameters.maxLoad) flood(lane)
    },
    /** Makes places of old singles. Returns true when some are left. */
    foldOld(lane: Lane): boolean {
      const row = digestOf(lane)
      const parameters = parametersOf(lane)
      // With the rules off every single stays one.
      if (row === undefined || parameters === undefined || row.bundle.state === 'ending') return false
      const result = absorb.olderThan(lane, row, now() - parameters.foldAfterMs)
      absorbed(lane, result)
      return result.full
    },
    /** Records whether the last attempt failed; a success after failures makes due what waits. */
    attempted(lane: Lane, succeeded: boolean): void {
      if (!isRuled(lane)) return
      const storm = current(lane)
      if (storm.failing === !succeeded) return
      counts.storms.set(lane.code, { ...storm, failing: !succeeded })
      if (!succeeded) return
      makeDue(lane)
      move(lane, { kind: 'accepting' })
    },
    recordChange,
    /** The digest of the destination is over. */
    closed(lane: Lane): void {
      const row = digestOf(lane)
      step(lane, { kind: 'over' })
      // The row of one without places is deleted, and the next bundle may get its number.
      set(lane, { bundle: undefined, ...(row?.bundle.folded === 0 && { last: row.id - 1 }) })
    },
    shift(byMs: number): void {
      for (const code of [...counts.storms.keys()]) clockMoved(lanes.of(code), byMs)
    },
    /** Reads the states from disk, for the opening. */
    load(): void {
      for (const { code, state: saved, bundle, last } of states.all()) {
        const lane = lanes.of(code)
        if (!channels.includes(lane.destination as ChannelName)) continue
        counts.storms.set(code, { ...fresh(now()), last, state: saved, bundle: bundle ?? undefined })
        const { state } = current(lane)
        const latest = Math.max(state.levelAt, state.storm?.openedAt ?? 0, state.storm?.inflowAt ?? 0)
        if (latest > now()) clockMoved(lane, now() - latest)
        if (!isRuled(lane) && bundle !== null) move(lane, { kind: 'ends', how: 'at once' })
      }
    },
    /** After `load`: finds destinations that failed, and begins a storm where more singles wait than the rules let. */
    find(): void {
      for (const lane of channels.flatMap((channel) => lanes.all(channel)).filter(isRuled)) {
        if (waitsAfterFailure(lane)) counts.storms.set(lane.code, { ...current(lane), failing: true })
        if (unfinishedOf(lane).singles > (parametersOf(lane)?.maxLoad ?? Infinity)) flood(lane)
      }
    },
    /** Writes what changed, but for destinations that retention has deleted meanwhile. */
    flush(): void {
      for (const code of counts.changedStorms) {
        const storm = counts.storms.get(code)
        if (storm !== undefined) states.save(code, storm.state)
      }
      counts.changedStorms.clear()
    },
  }
}

const fresh = (now: number): LaneStorm => ({ state: calm(now), bundle: undefined, failing: false, arrived: 0 })
