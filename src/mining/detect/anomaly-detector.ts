import type {
  CatalogSnapshot,
  Finding,
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
} from '../contract.ts'
import { readPattern, storePattern } from '../patterns/catalog-codec.ts'
import { Miner } from '../patterns/miner.ts'
import {
  advanceTo,
  count,
  joinTracks,
  NO_LINES,
  newTrack,
  patternOf,
  type Track,
  type Tracked,
} from '../patterns/pattern-state.ts'
import { Scan } from '../tokens/token-scanner.ts'
import { Services } from './service-registry.ts'
import { Judge } from './verdicts.ts'

/** Options of the configuration and, when there is one, what an earlier watch left in patterns.json. */
export function createWatch(options: WatchOptions, stored?: StoredCatalog): Watch {
  return new LogWatch(options, stored)
}

const NONE: ReadonlySet<string> = new Set()

class LogWatch implements Watch {
  skipped = 0
  readonly #options: WatchOptions
  readonly #miner: Miner<Track>
  readonly #services: Services
  readonly #judge: Judge
  /** Patterns with lines in the open tick. */
  #touched = new Set<Tracked>()
  /** First tick of each source. */
  readonly #begun = new Map<string, number>()
  /** To read stored templates with. */
  readonly #scan = new Scan()
  #tick = 0
  /** Ticks that were none for a source. */
  readonly #unheard = new Map<string, number>()
  #lines = 0

  constructor(options: WatchOptions, stored?: StoredCatalog) {
    this.#options = options
    this.#services = new Services(options.newServiceGraceMs)
    this.#judge = new Judge(options, this.#services)
    this.#miner = new Miner(options.miner.maxPatterns, {
      born: newTrack,
      joined: (survivor, other) => {
        joinTracks(survivor.record, other.record)
        if (this.#touched.delete(other)) this.#touched.add(survivor)
      },
      gone: (cluster) => this.#touched.delete(cluster),
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

  closeTick(atMs: number, mode: Mode, uneven: ReadonlySet<string> = NONE): Finding[] {
    const tick = { atMs, mode, renotifyMs: this.#options.renotifyMs, uneven }
    const touched = [...this.#touched]
    for (const { source, record } of touched) {
      if (uneven.has(source)) continue
      advanceTo(record, this.#tickOf(source))
      record.baseline.recent[0] = record.open.lines
    }
    const found = mode === 'training' ? this.#judge.learn(touched, tick) : this.#judge.judge(touched, tick)
    for (const { record } of touched) record.open = NO_LINES
    this.#touched = new Set()
    this.#tick++
    for (const source of uneven) this.#unheard.set(source, (this.#unheard.get(source) ?? 0) + 1)
    return found
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
    const stored = Array.from(this.#miner.clusters(), (cluster) =>
      storePattern(this.#scan, cluster, this.#tickOf(cluster.source) - 1),
    )
    return {
      patterns: Object.fromEntries(stored.map((pattern) => [pattern.id, pattern])),
      services: this.#services.snapshot(),
    }
  }

  counts(): WatchCounts {
    const { size, merged, evicted } = this.#miner
    return { lines: this.#lines, patterns: size, merged, evicted, withheld: this.#judge.withheld }
  }

  #restore({ patterns, services }: StoredCatalog): void {
    for (const [name, service] of Object.entries(services)) if (!this.#services.restore(name, service)) this.skipped++
    const restored = Object.entries(patterns).map(([key, entry]) => readPattern(this.#scan, key, entry))
    for (const each of restored) {
      const cluster = each && this.#miner.adopt(each.adoption, each.track)
      if (!cluster) this.skipped++
      else if (cluster.record.open.lines > 0) this.#touched.add(cluster)
      if (cluster) this.#judge.resume(cluster)
    }
  }

  /** Ticks that the source was heard in; between them its time stands still. */
  #tickOf(source: string): number {
    return this.#tick - (this.#unheard.get(source) ?? 0)
  }

  /** Ticks in which the source was heard but not this pattern count as well. */
  #begin({ source, record }: Tracked, atMs: number, { service, rule }: LogLine): void {
    const begun = this.#begun.get(source) ?? this.#tickOf(source)
    this.#begun.set(source, begun)
    Object.assign(record, { firstSeenMs: atMs, service, rule, tick: begun - 1 })
  }
}
