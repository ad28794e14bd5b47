import type {
  CatalogSnapshot,
  Finding,
  LogLine,
  Mode,
  Pattern,
  Service,
  Sighting,
  StoredCatalog,
  StoredPattern,
  StoredService,
  Verdict,
  Watch,
  WatchOptions,
} from './contract.ts'

interface Tick {
  lines: number
  readonly samples: string[]
}

/** The plainest watch: lines that are equal but for their numbers are one pattern; what is neither known nor in its grace is reported once. */
export function createWatch(options: WatchOptions, stored: StoredCatalog = { patterns: {}, services: {} }): Watch {
  return new PlainWatch(options, stored)
}

const iso = (ms: number) => new Date(ms).toISOString()

class PlainWatch implements Watch {
  readonly skipped = 0
  readonly #options: WatchOptions
  readonly #patterns: Map<string, StoredPattern>
  readonly #services: Map<string, StoredService>
  #tick = new Map<string, Tick>()
  #lines = 0

  constructor(options: WatchOptions, { patterns, services }: StoredCatalog) {
    this.#options = options
    this.#patterns = new Map(Object.entries(patterns as CatalogSnapshot['patterns']))
    this.#services = new Map(Object.entries(services as CatalogSnapshot['services']))
  }

  observe({ text, source, service, rule }: LogLine, atMs: number): Sighting {
    const template = text.replace(/\S*\d\S*/g, '<*>')
    const id = `p${Buffer.from(`${source} ${template}`).toString('base64url').slice(0, 120)}`
    const known = this.#patterns.get(id)
    const first = { id, template, first_seen: iso(atMs), count: 0, baseline_frequency: 0, verdict: 'unknown', tags: [] }
    const before = known ?? { ...first, last_seen: iso(atMs), rule_name: rule, source, service }
    this.#patterns.set(id, { ...before, count: before.count + 1, last_seen: iso(atMs) })
    if (!this.#services.has(service)) this.#services.set(service, { first_seen: iso(atMs) })
    const tick = this.#tick.get(id) ?? { lines: 0, samples: [] }
    tick.lines++
    if (tick.samples.length < 3) tick.samples.push(text)
    this.#tick.set(id, tick)
    this.#lines++
    return { id, isNew: known === undefined }
  }

  closeTick(atMs: number, mode: Mode): Finding[] {
    const findings: Finding[] = []
    for (const [id, tick] of this.#tick) {
      const pattern = this.#patterns.get(id)
      if (!pattern) continue
      if (mode === 'training' || this.#inGrace(pattern.service, atMs)) this.#learn(pattern)
      else if (pattern.verdict === 'unknown') findings.push(this.#report(pattern, tick, atMs))
    }
    this.#tick = new Map()
    return findings
  }

  #inGrace(service: string, atMs: number): boolean {
    return atMs - Date.parse(this.#services.get(service)?.first_seen ?? '') < this.#options.newServiceGraceMs
  }

  #learn(pattern: StoredPattern): void {
    if (pattern.verdict === 'unknown') this.#patterns.set(pattern.id, { ...pattern, verdict: 'known' })
  }

  #report(pattern: StoredPattern, { lines, samples }: Tick, atMs: number): Finding {
    const phase = pattern.opened_at === undefined ? 'opened' : 'lasting'
    if (phase === 'opened') this.#patterns.set(pattern.id, { ...pattern, opened_at: iso(atMs) })
    const shown = { pattern: patternOf(pattern), samples, frequency: lines, baseline: 0 }
    return { kind: 'unknown', phase, ...shown, count: pattern.count, openedAtMs: atMs }
  }

  patterns(): Pattern[] {
    return Array.from(this.#patterns.values(), patternOf).sort((a, b) => b.lastSeenMs - a.lastSeenMs)
  }
  pattern(id: string): Pattern | undefined {
    const found = this.#patterns.get(id)
    return found && patternOf(found)
  }
  label(id: string, label: { readonly verdict?: Verdict; readonly tags?: readonly string[] }): Pattern | undefined {
    const found = this.#patterns.get(id)
    if (found) this.#patterns.set(id, { ...found, ...label })
    return this.pattern(id)
  }
  forget(id: string): boolean {
    return this.#patterns.delete(id)
  }
  clear(): number {
    const { size } = this.#patterns
    this.#patterns.clear()
    return size
  }
  services(): Service[] {
    return Array.from(this.#services, ([name, { first_seen }]) => {
      const firstSeenMs = Date.parse(first_seen)
      return { name, firstSeenMs, graceEndsMs: firstSeenMs + this.#options.newServiceGraceMs }
    })
  }
  grace(name: string, action: 'end' | 'restart', atMs: number): Service | undefined {
    const first = action === 'restart' ? atMs : atMs - this.#options.newServiceGraceMs
    if (!this.#services.has(name)) return undefined
    this.#services.set(name, { first_seen: iso(first) })
    return this.services().find((service) => service.name === name)
  }
  snapshot(): CatalogSnapshot {
    return { patterns: Object.fromEntries(this.#patterns), services: Object.fromEntries(this.#services) }
  }
  counts() {
    return { lines: this.#lines, patterns: this.#patterns.size, merged: 0, evicted: 0 }
  }
}

function patternOf(stored: StoredPattern): Pattern {
  return {
    id: stored.id,
    template: stored.template,
    source: stored.source,
    service: stored.service,
    rule: stored.rule_name,
    firstSeenMs: Date.parse(stored.first_seen),
    lastSeenMs: Date.parse(stored.last_seen),
    count: stored.count,
    baselineFrequency: stored.baseline_frequency,
    verdict: stored.verdict as Verdict,
    knownBy: '',
    tags: stored.tags,
  }
}
