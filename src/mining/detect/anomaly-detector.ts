import type { Verdict } from '../../domain/pattern-verdict.ts'
import type { Finding, LogLine, Mode, Pattern, Service, StoredCatalog } from '../contract.ts'
import type { DetectorOptions } from '../options.ts'
import { decodePattern, encodePattern } from '../patterns/catalog-codec.ts'
import { Miner } from '../patterns/miner.ts'
import {
  advanceTo,
  count,
  mergePatternStates,
  NO_LINES,
  newPatternState,
  type PatternState,
  patternOf,
  type TrackedPattern,
} from '../patterns/pattern-state.ts'
import { Tokenizer } from '../tokens/tokenizer.ts'
import { ServiceRegistry } from './service-registry.ts'
import { Verdicts } from './verdicts.ts'

const NONE: ReadonlySet<string> = new Set()

/**
 * Learns patterns from log lines and evaluates them at the end of each tick. Single-threaded, without timers or files,
 * and deterministic.
 */
export class AnomalyDetector {
  /** Number of stored entries that could not be used and were left out. */
  skipped = 0
  readonly #options: DetectorOptions
  readonly #miner: Miner<PatternState>
  readonly #services: ServiceRegistry
  readonly #verdicts: Verdicts
  /** Patterns with lines in the open tick. */
  #touched = new Set<TrackedPattern>()
  /** The tick in which each source had its first line. */
  readonly #firstTickBySource = new Map<string, number>()
  /** Reads and writes stored templates. */
  readonly #tokenizer = new Tokenizer()
  #tick = 0
  /** Number of incomplete ticks of each source. */
  readonly #missedTicks = new Map<string, number>()
  #lines = 0

  /** @param stored the catalog to continue from */
  constructor(options: DetectorOptions, stored?: StoredCatalog) {
    this.#options = options
    this.#services = new ServiceRegistry(options.newServiceGraceMs)
    this.#verdicts = new Verdicts(options, this.#services)
    this.#miner = new Miner(options.miner.maxPatterns, {
      create: newPatternState,
      merged: (survivor, other) => {
        mergePatternStates(survivor.state, other.state)
        if (this.#touched.delete(other)) this.#touched.add(survivor)
      },
      removed: (cluster) => this.#touched.delete(cluster),
    })
    if (stored) this.#restore(stored)
  }

  /** Returns the id of the line's pattern, by which it is found also after it was merged into another one. */
  observe(line: LogLine, atMs: number): { readonly id: string; readonly isNew: boolean } {
    const { text, source, service } = line
    const cluster = this.#miner.observe(text, source)
    const { state } = cluster
    const isNew = cluster.lines === 1
    if (isNew) this.#initialise(cluster, atMs, line)
    state.lastSeenMs = atMs
    if (state.open.lines === 0) this.#touched.add(cluster)
    count(state, text, service)
    this.#services.see(service, atMs)
    this.#lines++
    return { id: cluster.id, isNew }
  }

  /**
   * Ends the tick and returns its findings; none in training. Sources in `incompleteTick` were not read during the
   * whole tick, or delivered a backlog: their counts enter no baseline and are not tested for bursts.
   */
  closeTick(atMs: number, mode: Mode, incompleteTick: ReadonlySet<string> = NONE): Finding[] {
    const tick = { atMs, mode, renotifyMs: this.#options.renotifyMs, incompleteTick }
    const touched = [...this.#touched]
    for (const { source, state } of touched) {
      if (incompleteTick.has(source)) continue
      advanceTo(state, this.#tickOf(source))
      state.baseline.recent[0] = state.open.lines
    }
    const found = mode === 'training' ? this.#verdicts.learn(touched, tick) : this.#verdicts.evaluate(touched, tick)
    for (const { state } of touched) state.open = NO_LINES
    this.#touched = new Set()
    this.#tick++
    for (const source of incompleteTick) this.#missedTicks.set(source, (this.#missedTicks.get(source) ?? 0) + 1)
    return found
  }

  /** Returns all patterns, most recently seen first. */
  patterns(): Pattern[] {
    return Array.from(this.#miner.clusters(), patternOf).sort((a, b) => b.lastSeenMs - a.lastSeenMs)
  }

  pattern(id: string): Pattern | undefined {
    const cluster = this.#miner.byId(id)
    return cluster && patternOf(cluster)
  }

  /** Sets an operator's verdict and tags. Returns undefined when there is no such pattern. */
  label(
    id: string,
    { verdict, tags }: { readonly verdict?: Verdict; readonly tags?: readonly string[] },
  ): Pattern | undefined {
    const cluster = this.#miner.byId(id)
    if (!cluster) return undefined
    cluster.pinned = true
    if (tags) cluster.state.tags = [...tags]
    if (verdict) {
      cluster.state.verdict = verdict
      cluster.state.knownBy = 'operator'
    }
    return patternOf(cluster)
  }

  forget(id: string): boolean {
    const cluster = this.#miner.byId(id)
    if (cluster) this.#miner.forget(cluster)
    return cluster !== undefined
  }

  /** Forgets all patterns and returns how many there were. */
  clear(): number {
    const all = [...this.#miner.clusters()]
    for (const cluster of all) this.#miner.forget(cluster)
    return all.length
  }

  services(): Service[] {
    return this.#services.list()
  }

  /** Ends or restarts the grace period of a service. Returns undefined when there is no such service. */
  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined {
    return this.#services.grace(name, action, atMs)
  }

  /** Returns the content of patterns.json. A detector created from it continues with the same counts and episodes. */
  snapshot() {
    const stored = Array.from(this.#miner.clusters(), (cluster) =>
      encodePattern(this.#tokenizer, cluster, this.#tickOf(cluster.source) - 1),
    )
    return {
      patterns: Object.fromEntries(stored.map((pattern) => [pattern.id, pattern])),
      services: this.#services.snapshot(),
    }
  }

  counts() {
    const { size, merged, evicted } = this.#miner
    return { lines: this.#lines, patterns: size, merged, evicted, withheld: this.#verdicts.withheld }
  }

  #restore({ patterns, services }: StoredCatalog): void {
    for (const [name, service] of Object.entries(services)) if (!this.#services.restore(name, service)) this.skipped++
    const restored = Object.entries(patterns).map(([key, entry]) => decodePattern(this.#tokenizer, key, entry))
    for (const each of restored) {
      const cluster = each && this.#miner.restore(each.cluster, each.state)
      if (!cluster) this.skipped++
      else if (cluster.state.open.lines > 0) this.#touched.add(cluster)
      if (cluster) this.#verdicts.resume(cluster)
    }
  }

  /** Returns the tick number of a source: its incomplete ticks do not count. */
  #tickOf(source: string): number {
    return this.#tick - (this.#missedTicks.get(source) ?? 0)
  }

  /** Initialises a new pattern. Its baseline starts with the source's first tick: earlier ticks count as zero lines. */
  #initialise({ source, state }: TrackedPattern, atMs: number, { service, rule }: LogLine): void {
    const begun = this.#firstTickBySource.get(source) ?? this.#tickOf(source)
    this.#firstTickBySource.set(source, begun)
    state.firstSeenMs = atMs
    state.service = service
    state.rule = rule
    state.tick = begun - 1
  }
}
