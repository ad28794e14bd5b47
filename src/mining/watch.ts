import { survivorOf } from './cluster.ts'
import type {
  CatalogSnapshot,
  Finding,
  FindingKind,
  KnownBy,
  LogLine,
  Mode,
  Pattern,
  Service,
  Sighting,
  StoredCatalog,
  Verdict,
  Watch,
  WatchCounts,
  WatchOptions,
} from './contract.ts'
import { Services } from './grace.ts'
import { bursts, close, isQuiet, isSurge, report, type Tick } from './judge.ts'
import { Miner } from './miner.ts'
import {
  advanceTo,
  count,
  hasEpisode,
  joinTracks,
  NO_LINES,
  newTrack,
  patternOf,
  type Track,
  type Tracked,
} from './record.ts'
import { Scan } from './scan.ts'
import { readPattern, storePattern } from './stored.ts'

const KINDS = ['unknown', 'spike'] as const satisfies FindingKind[]

/** Options of the configuration and, when there is one, what an earlier watch left in patterns.json. */
export function createWatch(options: WatchOptions, stored?: StoredCatalog): Watch {
  return new LogWatch(options, stored)
}

class LogWatch implements Watch {
  skipped = 0
  readonly #options: WatchOptions
  readonly #miner: Miner<Track>
  readonly #services: Services
  /** Patterns with lines in the open tick. */
  #touched = new Set<Tracked>()
  /** Patterns with an episode. */
  readonly #troubled = new Set<Tracked>()
  /** First tick of each source. */
  readonly #begun = new Map<string, number>()
  /** To read stored templates with. */
  readonly #scan = new Scan()
  #tick = 0
  #lines = 0

  constructor(options: WatchOptions, stored?: StoredCatalog) {
    this.#options = options
    this.#services = new Services(options.newServiceGraceMs)
    this.#miner = new Miner(options.miner.maxPatterns, {
      born: newTrack,
      joined: (survivor, other) => joinTracks(survivor.record, other.record),
    })
    if (stored) this.#restore(stored)
  }

  observe(line: LogLine, atMs: number): Sighting {
    const { text, source, service } = line
    const cluster = this.#miner.observe(text, source)
    const { record } = cluster
    const isNew = cluster.lines === 1
    if (isNew) this.#begin(cluster, atMs, line)
    record.lastSeenMs = atMs
    if (record.open.lines === 0) this.#touched.add(cluster)
    count(record, text, service)
    this.#services.see(service, atMs)
    this.#lines++
    return { id: cluster.id, isNew }
  }

  closeTick(atMs: number, mode: Mode): Finding[] {
    const tick = { atMs, mode, renotifyMs: this.#options.renotifyMs }
    const touched = [...new Set([...this.#touched].map(survivorOf))].filter(({ alive }) => alive)
    for (const { record } of touched) {
      advanceTo(record, this.#tick)
      record.baseline.recent[0] = record.open.lines
    }
    const found = mode === 'training' ? [] : this.#judge(touched, tick)
    if (mode === 'training') this.#learn(touched)
    const closed = this.#closeQuiet(tick)
    for (const { record } of touched) record.open = NO_LINES
    this.#touched = new Set()
    this.#tick++
    return mode === 'training' ? [] : [...found, ...closed]
  }

  patterns(): Pattern[] {
    return Array.from(this.#miner.clusters(), patternOf).sort((a, b) => b.lastSeenMs - a.lastSeenMs)
  }

  pattern(id: string): Pattern | undefined {
    const cluster = this.#miner.byId(id)
    return cluster && patternOf(cluster)
  }

  label(
    id: string,
    { verdict, tags }: { readonly verdict?: Verdict; readonly tags?: readonly string[] },
  ): Pattern | undefined {
    const cluster = this.#miner.byId(id)
    if (!cluster) return undefined
    cluster.pinned = true
    if (tags) cluster.record.tags = [...tags]
    if (verdict) Object.assign(cluster.record, { verdict, knownBy: 'operator' })
    if (verdict && verdict !== 'unknown') cluster.record.episodes = {}
    return patternOf(cluster)
  }

  forget(id: string): boolean {
    const cluster = this.#miner.byId(id)
    if (cluster) this.#miner.forget(cluster)
    return cluster !== undefined
  }

  clear(): number {
    const all = [...this.#miner.clusters()]
    for (const cluster of all) this.#miner.forget(cluster)
    return all.length
  }

  services(): Service[] {
    return this.#services.list()
  }

  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined {
    return this.#services.grace(name, action, atMs)
  }

  snapshot(): CatalogSnapshot {
    const stored = Array.from(this.#miner.clusters(), (cluster) => storePattern(this.#scan, cluster, this.#tick - 1))
    return {
      patterns: Object.fromEntries(stored.map((pattern) => [pattern.id, pattern])),
      services: this.#services.snapshot(),
    }
  }

  counts(): WatchCounts {
    const { size, merged, evicted } = this.#miner
    return { lines: this.#lines, patterns: size, merged, evicted }
  }

  #restore({ patterns, services }: StoredCatalog): void {
    for (const [name, service] of Object.entries(services)) if (!this.#services.restore(name, service)) this.skipped++
    const restored = Object.entries(patterns).map(([key, entry]) => readPattern(this.#scan, key, entry))
    for (const each of restored) {
      const cluster = each && this.#miner.adopt(each.adoption, each.track)
      if (!cluster) this.skipped++
      else if (cluster.record.open.lines > 0) this.#touched.add(cluster)
      if (cluster && hasEpisode(cluster.record.episodes)) this.#troubled.add(cluster)
    }
  }

  /** Ticks in which the source was heard but not this pattern count as well. */
  #begin({ source, record }: Tracked, atMs: number, { service, rule }: LogLine): void {
    const begun = this.#begun.get(source) ?? this.#tick
    this.#begun.set(source, begun)
    Object.assign(record, { firstSeenMs: atMs, service, rule, tick: begun - 1 })
  }

  #learn(touched: readonly Tracked[]): void {
    for (const cluster of touched) {
      const { verdict, knownBy } = cluster.record
      if (verdict === 'unknown' && knownBy !== 'operator') this.#declare(cluster, 'training')
    }
  }

  #judge(touched: readonly Tracked[], tick: Tick): Finding[] {
    const bySource = Map.groupBy(touched, ({ source }) => source)
    const surging = new Set([...bySource].filter(([, clusters]) => isSurge(clusters)).map(([source]) => source))
    return touched.flatMap((cluster) => {
      const { verdict } = cluster.record
      if (verdict === 'unknown') return this.#judgeUnknown(cluster, tick)
      if (verdict === 'ignored' || surging.has(cluster.source)) return []
      return bursts(cluster, this.#options.catalog, tick) ? [this.#report(cluster, 'spike', tick)] : []
    })
  }

  #judgeUnknown(cluster: Tracked, tick: Tick): Finding[] {
    const { autoPromoteAfter } = this.#options.catalog
    const { knownBy, open } = cluster.record
    if (knownBy === 'operator') return [this.#report(cluster, 'unknown', tick)]
    if (cluster.lines - open.lines >= autoPromoteAfter) return this.#declare(cluster, 'count')
    const { services } = open
    if (services.length > 0 && services.every((name) => this.#services.inGrace(name, tick.atMs))) {
      return this.#declare(cluster, 'grace')
    }
    const finding = this.#report(cluster, 'unknown', tick)
    return cluster.lines >= autoPromoteAfter ? [finding, ...this.#declare(cluster, 'count')] : [finding]
  }

  #report(cluster: Tracked, kind: FindingKind, tick: Tick): Finding {
    this.#troubled.add(cluster)
    return report(cluster, kind, tick)
  }

  #declare(cluster: Tracked, knownBy: KnownBy): Finding[] {
    Object.assign(cluster.record, { verdict: 'known', knownBy })
    return close(cluster, 'unknown')
  }

  #closeQuiet(tick: Tick): Finding[] {
    const closed: Finding[] = []
    for (const each of [...this.#troubled]) {
      const cluster = survivorOf(each)
      for (const kind of KINDS) if (isQuiet(cluster.record.episodes[kind], tick)) closed.push(...close(cluster, kind))
      this.#troubled.delete(each)
      if (cluster.alive && hasEpisode(cluster.record.episodes)) this.#troubled.add(cluster)
    }
    return closed
  }
}
