import type { ChannelName, Destination } from '../../domain/delivery.ts'
import { RANK, type Rank } from '../../domain/dispatch.ts'
import { severityRank } from '../../domain/severity.ts'
import type { Priority } from '../../policy/decision.ts'
import { calm, loadOf, nextRevisionAt, step } from '../../policy/storm.ts'
import type { StormParameters } from '../../policy/storm-parameters.ts'
import type { Alert, StormEffect, StormEvent, Unfinished } from '../../policy/storm-state.ts'
import { BUNDLE_KIND, KIND, STATE } from '../engine/column-codes.ts'
import type { StoreContext } from '../engine/context.ts'
import { type Lane, type LaneStorm, queueOf } from '../engine/counts.ts'
import { command, query } from '../engine/statement.ts'
import type { Absorb } from './absorb.ts'
import type { StormBundles } from './bundles.ts'
import { recordChange } from './digest-changes.ts'
import type { KindFacts, Kinds } from './kinds.ts'
import type { openRules } from './rules.ts'
import { openSeed } from './seed.ts'

export type Placement =
  | { readonly kind: 'single'; readonly rank: Rank }
  | { readonly kind: 'fold'; readonly bundle: number; readonly place: number }

/** A single under no storm rules. */
export const NORMAL_SINGLE: Placement = { kind: 'single', rank: RANK.normal }

interface NewAlert extends KindFacts {
  /** Its problem fires already. */
  readonly isRepeat?: boolean | undefined
  readonly priority: Priority
  readonly committedAt: number
}

/** State and parameters of a destination under storm rules. */
interface LaneNoise {
  readonly lane: Lane<ChannelName>
  readonly storm: LaneStorm
  readonly parameters: StormParameters
  readonly unfinished: Unfinished
}

/**
 * Storms of the destinations: each decides with `step` whether a new delivery is a single or a place of the open digest.
 * States are in memory and, by the end of the transaction, on disk. All that changes something inside `write`.
 */
export interface Storms {
  /** The destination has storm rules now. */
  isRuled(lane: Lane): boolean
  /** The destination's reader is flooded now. */
  isStormy(lane: Lane): boolean
  place(lane: Lane, alert: NewAlert): Placement
  /** Returns how many more singles that are not urgent may go to the sender; Infinity without rules. */
  window(lane: Lane): number
  /** Returns the epoch milliseconds of the next revision; Infinity: none is due without another event. */
  nextAt(lane: Lane): number
  move(lane: Lane, event: StormEvent): readonly StormEffect[]
  noiseOf(lane: Lane<ChannelName>): LaneNoise | undefined
  /** Opens a digest unless one is open, and makes places of dead deliveries; false: the destination has no rules. */
  revive(lane: Lane, incidents: readonly number[]): boolean
  /** Makes untold repeats of another bundle places of the open digest; returns their number. */
  absorb(lane: Lane, from: { readonly id: number; readonly told: number }): number
  /** Makes places of old singles. Returns true when some are left. */
  foldOld(lane: Lane): boolean
  /** Records whether the last attempt failed; a success after failures makes due what waits. */
  attempted(lane: Lane, succeeded: boolean): void
  /** The digest of the destination is over. */
  closed(lane: Lane): void
  shift(byMs: number): void
  /** Reads the states from disk, for the opening. */
  load(): void
  /** After `load`: finds destinations that failed, and begins a storm where more singles wait than the rules let. */
  find(): void
  /** Writes what changed, but for destinations that retention has deleted meanwhile. */
  flush(): void
  rollback(): void
}

interface StormDeps {
  readonly rulesOf: ReturnType<typeof openRules>
  readonly kinds: Kinds
  readonly bundles: StormBundles
  readonly absorb: Absorb
  /** Makes due what waits for the destination. */
  makeDue(lane: Lane): void
}

export function openStorms(context: StoreContext, deps: StormDeps): Storms {
  const { db, counts, lanes, channels, now } = context
  const { rulesOf, kinds, bundles, absorb, makeDue } = deps
  const save = command(db, 'UPDATE destinations SET storm = ? WHERE code = ?')
  const saved = query<{ code: number; storm: string; bundle: number | null }>(
    db,
    `SELECT code, storm, (SELECT max(id) FROM bundles WHERE destination = code AND closed_at IS NULL AND kind = ${BUNDLE_KIND.storm}) AS bundle
     FROM destinations WHERE storm IS NOT NULL`,
  )
  const retry = query<object>(
    db,
    `SELECT 1 FROM dispatches WHERE kind = ${KIND.delivery} AND destination = ? AND state = ${STATE.pending} AND attempts > 0 AND due_at > ?
     LIMIT 1`,
  )
  const seed = openSeed(context, kinds)
  const dirty = new Set<number>()

  const current = (lane: Lane): LaneStorm => counts.storms.get(lane.code) ?? fresh(now())
  function set(lane: Lane, storm: LaneStorm): void {
    counts.storms.set(lane.code, storm)
    dirty.add(lane.code)
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

  function move(lane: Lane, event: StormEvent): readonly StormEffect[] {
    const parameters = parametersOf(lane)
    if (parameters === undefined) return []
    const was = current(lane)
    const [state, effects] = step(was.state, event, now(), parameters)
    if (state !== was.state) set(lane, { ...was, state })
    for (const effect of effects) if (effect.kind === 'open') open(lane, effect)
    return effects
  }

  function open(lane: Lane, { since, keep }: Extract<StormEffect, { kind: 'open' }>): void {
    const bundle = bundles.open(lane, since, now())
    set(lane, { ...current(lane), bundle })
    seed(lane, { bundle, since })
    absorbed(lane, absorb.beyond(lane, { bundle, since, folded: 0 }, keep))
    const folded = current(lane).state.storm?.folded ?? 0
    recordChange(counts, lane, { digest: bundle, action: 'opened', folded, told: 0 })
  }

  function absorbed(lane: Lane, { count, urgent }: { readonly count: number; readonly urgent: boolean }): void {
    if (count === 0) return
    move(lane, { kind: 'absorbed', count, urgent })
    countFolded(lane, count)
  }

  const countFolded = ({ destination }: Lane, places: number) => {
    counts.folded = { ...counts.folded, [destination]: (counts.folded[destination as ChannelName] ?? 0) + places }
  }

  /** Opens a digest before the incident is looked at, because its problem may be known to the digest. */
  function openIfFlooded(lane: Lane, unfinished: Unfinished, parameters: StormParameters): void {
    const { state } = current(lane)
    if (state.storm !== undefined || loadOf(state, unfinished, now(), parameters) < parameters.maxLoad) return
    move(lane, { kind: 'found', unfinished: FLOODED })
  }

  function placeByRules(lane: Lane, alert: NewAlert, parameters: StormParameters): Placement {
    openIfFlooded(lane, unfinishedOf(lane), parameters)
    const { bundle } = current(lane)
    const [effect] = move(lane, {
      kind: 'arrived',
      alert: alertOf(alert, bundle),
      unfinished: unfinishedOf(lane),
      committedAt: alert.committedAt,
    })
    const { state, arrived, ...rest } = current(lane)
    set(lane, { ...rest, state, arrived: arrived + 1 })
    if (effect?.kind === 'fold' && bundle !== undefined && state.storm !== undefined) {
      kinds.add(bundle, alert, 'folded')
      countFolded(lane, 1)
      return { kind: 'fold', bundle, place: state.storm.folded }
    }
    if (bundle !== undefined) kinds.add(bundle, alert, 'singly')
    return effect?.kind === 'single' ? { kind: 'single', rank: effect.rank } : NORMAL_SINGLE
  }

  function alertOf({ status, priority, fingerprint, severity, isRepeat }: NewAlert, bundle: number | undefined): Alert {
    const kind = bundle === undefined ? undefined : kinds.find(bundle, fingerprint)
    const answersSingle = kind !== undefined && kind.singly_firing > kind.singly_resolved
    const isNews = !isRepeat && (kind === undefined || severityRank(severity) < kind.level)
    return { status, priority, isNews, answersSingle }
  }

  function clockMoved(lane: Lane, byMs: number): void {
    move(lane, { kind: 'clock moved', byMs })
    const { bundle } = current(lane)
    // Without this, later singles would seem to be older than the storm; a clock set forward lets none seem so.
    if (bundle !== undefined && byMs < 0) bundles.shift(bundle, byMs)
  }

  const waitsAfterFailure = (lane: Lane) =>
    (current(lane).state.storm?.notBefore ?? 0) > now() || retry.get(lane.code, now()) !== undefined

  return {
    isRuled,
    isStormy,
    move,
    place(lane, alert) {
      const parameters = rulingOn(lane)
      return parameters === undefined ? NORMAL_SINGLE : placeByRules(lane, alert, parameters)
    },
    window(lane) {
      const parameters = rulingOn(lane)
      if (parameters === undefined) return Infinity
      const handed = parameters.maxHanded[isStormy(lane) ? 'storm' : 'calm']
      return Math.max(0, handed - queueOf(counts, 'delivery', lane.code).sending)
    },
    nextAt(lane) {
      const storm = counts.storms.get(lane.code)
      const parameters = storm?.bundle === undefined ? undefined : parametersOf(lane)
      if (storm === undefined || parameters === undefined) return Infinity
      return nextRevisionAt(storm.state, unfinishedOf(lane), parameters)
    },
    noiseOf(lane) {
      const parameters = parametersOf(lane)
      if (parameters === undefined || !(isRuled(lane) || counts.storms.has(lane.code))) return undefined
      return { lane, storm: current(lane), parameters, unfinished: unfinishedOf(lane) }
    },
    revive(lane, incidents) {
      if (!isRuled(lane)) return false
      if (current(lane).bundle === undefined) move(lane, { kind: 'found', unfinished: FLOODED })
      const { bundle, state } = current(lane)
      if (bundle === undefined || state.storm === undefined) return false
      absorbed(lane, absorb.dead(lane, { bundle, since: Infinity, folded: state.storm.folded }, incidents))
      return true
    },
    absorb(lane, from) {
      const { bundle, state } = current(lane)
      if (bundle === undefined || state.storm === undefined) return 0
      const repeats = absorb.repeats(lane, { bundle, since: Infinity, folded: state.storm.folded }, from)
      absorbed(lane, repeats)
      return repeats.count
    },
    foldOld(lane) {
      const { bundle, state } = current(lane)
      const parameters = parametersOf(lane)
      if (bundle === undefined || state.storm === undefined || parameters === undefined) return false
      // With the rules off every single stays one.
      if (state.storm.ending) return false
      const into = { bundle, since: bundles.since(bundle), folded: state.storm.folded }
      const result = absorb.olderThan(lane, into, now() - parameters.foldAfterMs)
      absorbed(lane, result)
      return result.full
    },
    attempted(lane, succeeded) {
      if (!isRuled(lane)) return
      const storm = current(lane)
      if (storm.failing === !succeeded) return
      counts.storms.set(lane.code, { ...storm, failing: !succeeded })
      if (!succeeded) return
      makeDue(lane)
      move(lane, { kind: 'accepting' })
    },
    closed(lane) {
      set(lane, { ...current(lane), bundle: undefined })
    },
    shift(byMs) {
      for (const code of [...counts.storms.keys()]) clockMoved(lanes.of(code), byMs)
    },
    load() {
      for (const { code, storm, bundle } of saved.all()) {
        const lane = lanes.of(code)
        if (!channels.includes(lane.destination as ChannelName)) continue
        counts.storms.set(code, { ...fresh(now()), state: JSON.parse(storm), bundle: bundle ?? undefined })
        const { state } = current(lane)
        const latest = Math.max(state.levelAt, state.storm?.openedAt ?? 0, state.storm?.inflowAt ?? 0)
        if (latest > now()) clockMoved(lane, now() - latest)
        if (!isRuled(lane) && bundle !== null) move(lane, { kind: 'switched off' })
      }
    },
    find() {
      for (const lane of channels.flatMap(lanes.all).filter(isRuled)) {
        if (waitsAfterFailure(lane)) counts.storms.set(lane.code, { ...current(lane), failing: true })
        move(lane, { kind: 'found', unfinished: unfinishedOf(lane) })
      }
    },
    flush() {
      kinds.flush()
      for (const code of [...dirty].filter((each) => counts.storms.has(each))) {
        const { state, bundle } = counts.storms.get(code) as LaneStorm
        save.run(JSON.stringify(state), code)
        if (bundle !== undefined && state.storm !== undefined) bundles.save(bundle, state.storm)
      }
      dirty.clear()
    },
    rollback() {
      kinds.rollback()
      dirty.clear()
    },
  }
}

const FLOODED: Unfinished = { singles: Infinity, urgents: 0 }

const fresh = (now: number): LaneStorm => ({ state: calm(now), bundle: undefined, failing: false, arrived: 0 })
