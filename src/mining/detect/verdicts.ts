import type { Finding, FindingKind, KnownBy } from '../contract.ts'
import type { DetectorOptions } from '../options.ts'
import { survivorOf } from '../patterns/cluster.ts'
import { hasEpisode, type TrackedPattern } from '../patterns/pattern-state.ts'
import { isSpike, SourceSurges } from './burst.ts'
import { close, isQuiet, report, type Tick } from './episode.ts'
import type { ServiceRegistry } from './service-registry.ts'

const KINDS = ['unknown', 'spike'] as const satisfies FindingKind[]
/** Most episodes of unknown patterns that open in one tick; the patterns with most lines go first. */
const MAX_OPENED = 25

/** Evaluates the patterns of a tick: sets their verdicts, opens and closes their episodes, returns findings. */
export class Verdicts {
  /** Number of unknown patterns not reported because of `MAX_OPENED`. They are reported when they are seen again. */
  withheld = 0
  readonly #options: DetectorOptions
  readonly #services: ServiceRegistry
  readonly #surges = new SourceSurges()
  /** Patterns with an open episode. */
  readonly #withEpisode = new Set<TrackedPattern>()

  constructor(options: DetectorOptions, services: ServiceRegistry) {
    this.#options = options
    this.#services = services
  }

  /** Registers a restored pattern if it has an open episode. */
  resume(cluster: TrackedPattern): void {
    if (hasEpisode(cluster.state.episodes)) this.#withEpisode.add(cluster)
  }

  /**
   * Ends a tick of training: all its patterns become known, except those that an operator has labelled. Returns no
   * findings.
   */
  learn(touched: readonly TrackedPattern[], tick: Tick): Finding[] {
    for (const cluster of touched) if (isUndecided(cluster)) markKnown(cluster, 'training', 0)
    this.#closeQuiet(tick)
    return []
  }

  evaluate(touched: readonly TrackedPattern[], tick: Tick): Finding[] {
    const complete = touched.filter(({ source }) => !tick.incompleteTick.has(source))
    const surging = this.#surges.update(complete, tick)
    const incomplete = (source: string) => surging.has(source) || tick.incompleteTick.has(source)
    const opened = this.#selectToOpen(touched, tick)
    const found = touched.flatMap((cluster) => {
      const { verdict } = cluster.state
      if (verdict === 'unknown') return this.#evaluateUnknown(cluster, tick, opened)
      if (verdict === 'ignored' || incomplete(cluster.source)) return []
      return isSpike(cluster, this.#options.catalog, tick) ? [this.#report(cluster, 'spike', tick)] : []
    })
    return [...found, ...this.#closeQuiet(tick)]
  }

  /** Selects the unknown patterns whose episodes open in this tick. */
  #selectToOpen(touched: readonly TrackedPattern[], tick: Tick): ReadonlySet<TrackedPattern> {
    const due = touched.filter((cluster) => {
      const { verdict, episodes } = cluster.state
      return verdict === 'unknown' && !episodes.unknown && this.#normalBy(cluster, tick) === ''
    })
    this.withheld += Math.max(0, due.length - MAX_OPENED)
    return new Set(due.sort((a, b) => b.state.open.lines - a.state.open.lines).slice(0, MAX_OPENED))
  }

  #evaluateUnknown(cluster: TrackedPattern, tick: Tick, opened: ReadonlySet<TrackedPattern>): Finding[] {
    const normalBy = this.#normalBy(cluster, tick)
    const burstsFromMs = tick.atMs + tick.renotifyMs
    if (normalBy !== '') {
      markKnown(cluster, normalBy, burstsFromMs)
      return []
    }
    if (!cluster.state.episodes.unknown && !opened.has(cluster)) return []
    const finding = this.#report(cluster, 'unknown', tick)
    const often = isUndecided(cluster) && cluster.lines >= this.#options.catalog.autoPromoteAfter
    if (often) markKnown(cluster, 'count', burstsFromMs)
    return [finding]
  }

  /** Returns why an unknown pattern becomes known before this tick is evaluated; '' when it stays unknown. */
  #normalBy(cluster: TrackedPattern, { atMs }: Tick): KnownBy {
    if (!isUndecided(cluster)) return ''
    const { open } = cluster.state
    if (cluster.lines - open.lines >= this.#options.catalog.autoPromoteAfter) return 'count'
    const { services } = open
    return services.length > 0 && services.every((name) => this.#services.inGrace(name, atMs)) ? 'grace' : ''
  }

  #report(cluster: TrackedPattern, kind: FindingKind, tick: Tick): Finding {
    this.#withEpisode.add(cluster)
    return report(cluster, kind, tick)
  }

  #closeQuiet(tick: Tick): Finding[] {
    const closed: Finding[] = []
    for (const each of [...this.#withEpisode]) {
      const cluster = survivorOf(each)
      for (const kind of KINDS) if (isOver(cluster, kind, tick)) closed.push(...close(cluster, kind))
      this.#withEpisode.delete(each)
      if (cluster.alive && hasEpisode(cluster.state.episodes)) this.#withEpisode.add(cluster)
    }
    return closed
  }
}

/** Returns whether a pattern may become known without an operator. */
function isUndecided({ state: { verdict, knownBy } }: TrackedPattern): boolean {
  return verdict === 'unknown' && knownBy !== 'operator'
}

/** @param burstsFromMs bursts are not reported before, because the baseline is still that of a new pattern */
function markKnown({ state }: TrackedPattern, knownBy: KnownBy, burstsFromMs: number): void {
  state.verdict = 'known'
  state.knownBy = knownBy
  state.burstsFromMs = burstsFromMs
}

/** Returns whether an episode ends: it was quiet for long enough, or the pattern's verdict has changed. */
function isOver(cluster: TrackedPattern, kind: FindingKind, tick: Tick): boolean {
  const { verdict } = cluster.state
  return isQuiet(cluster, kind, tick) || verdict === 'ignored' || (kind === 'unknown' && verdict === 'known')
}
