import type { Finding, FindingKind, KnownBy, WatchOptions } from '../contract.ts'
import { survivorOf } from '../patterns/cluster.ts'
import { hasEpisode, type Tracked } from '../patterns/pattern-state.ts'
import { close, isQuiet, report, type Tick } from './episode.ts'
import type { Services } from './service-registry.ts'
import { bursts, Surges } from './surge.ts'

const KINDS = ['unknown', 'spike'] as const satisfies FindingKind[]
/** New episodes of unknown patterns in one tick: a flood of them is told by its largest. */
const MOST_OPENED = 25

/** Says at the end of a tick what of it is to be reported. */
export class Judge {
  /** Unknown patterns that were not reported because too many others were: they are when they are seen again. */
  withheld = 0
  readonly #options: WatchOptions
  readonly #services: Services
  readonly #surges = new Surges()
  /** Patterns with an episode. */
  readonly #troubled = new Set<Tracked>()

  constructor(options: WatchOptions, services: Services) {
    this.#options = options
    this.#services = services
  }

  /** Takes over a pattern whose episode began in an earlier run. */
  resume(cluster: Tracked): void {
    if (hasEpisode(cluster.record.episodes)) this.#troubled.add(cluster)
  }

  /** Whatever was seen is normal, unless an operator has said otherwise. */
  learn(touched: readonly Tracked[], tick: Tick): Finding[] {
    for (const cluster of touched) if (isOpenQuestion(cluster)) declare(cluster, 'training', 0)
    this.#closeQuiet(tick)
    return []
  }

  judge(touched: readonly Tracked[], tick: Tick): Finding[] {
    const measured = touched.filter(({ source }) => !tick.uneven.has(source))
    const surging = this.#surges.of(measured, tick)
    const unmeasured = (source: string) => surging.has(source) || tick.uneven.has(source)
    const opened = this.#mayOpen(touched, tick)
    const found = touched.flatMap((cluster) => {
      const { verdict } = cluster.record
      if (verdict === 'unknown') return this.#judgeUnknown(cluster, tick, opened)
      if (verdict === 'ignored' || unmeasured(cluster.source)) return []
      return bursts(cluster, this.#options.catalog, tick) ? [this.#report(cluster, 'spike', tick)] : []
    })
    return [...found, ...this.#closeQuiet(tick)]
  }

  /** The unknown patterns without an episode that get one now. */
  #mayOpen(touched: readonly Tracked[], tick: Tick): ReadonlySet<Tracked> {
    const due = touched.filter((cluster) => {
      const { verdict, episodes } = cluster.record
      return verdict === 'unknown' && !episodes.unknown && this.#normalBy(cluster, tick) === ''
    })
    this.withheld += Math.max(0, due.length - MOST_OPENED)
    return new Set(due.sort((a, b) => b.record.open.lines - a.record.open.lines).slice(0, MOST_OPENED))
  }

  #judgeUnknown(cluster: Tracked, tick: Tick, opened: ReadonlySet<Tracked>): Finding[] {
    const normalBy = this.#normalBy(cluster, tick)
    const settlesAtMs = tick.atMs + tick.renotifyMs
    if (normalBy !== '') {
      declare(cluster, normalBy, settlesAtMs)
      return []
    }
    if (!cluster.record.episodes.unknown && !opened.has(cluster)) return []
    const finding = this.#report(cluster, 'unknown', tick)
    const often = isOpenQuestion(cluster) && cluster.lines >= this.#options.catalog.autoPromoteAfter
    if (often) declare(cluster, 'count', settlesAtMs)
    return [finding]
  }

  /** Why an unknown pattern is normal before this tick is judged. */
  #normalBy(cluster: Tracked, { atMs }: Tick): KnownBy {
    if (!isOpenQuestion(cluster)) return ''
    const { open } = cluster.record
    if (cluster.lines - open.lines >= this.#options.catalog.autoPromoteAfter) return 'count'
    const { services } = open
    return services.length > 0 && services.every((name) => this.#services.inGrace(name, atMs)) ? 'grace' : ''
  }

  #report(cluster: Tracked, kind: FindingKind, tick: Tick): Finding {
    this.#troubled.add(cluster)
    return report(cluster, kind, tick)
  }

  #closeQuiet(tick: Tick): Finding[] {
    const closed: Finding[] = []
    for (const each of [...this.#troubled]) {
      const cluster = survivorOf(each)
      for (const kind of KINDS) if (isOver(cluster, kind, tick)) closed.push(...close(cluster, kind))
      this.#troubled.delete(each)
      if (cluster.alive && hasEpisode(cluster.record.episodes)) this.#troubled.add(cluster)
    }
    return closed
  }
}

/** Nobody has said yet whether it is normal. */
function isOpenQuestion({ record: { verdict, knownBy } }: Tracked): boolean {
  return verdict === 'unknown' && knownBy !== 'operator'
}

/** @param settlesAtMs before then it has no usual rate to judge bursts by */
function declare({ record }: Tracked, knownBy: KnownBy, settlesAtMs: number): void {
  Object.assign(record, { verdict: 'known', knownBy, settlesAtMs })
}

/** Quiet, or no longer in question. */
function isOver(cluster: Tracked, kind: FindingKind, tick: Tick): boolean {
  const { verdict, episodes } = cluster.record
  return isQuiet(episodes[kind], tick) || verdict === 'ignored' || (kind === 'unknown' && verdict === 'known')
}
