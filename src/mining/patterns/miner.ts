import { Tokenizer } from '../tokens/tokenizer.ts'
import { type Cluster, ClusterIds, evictable, survivorOf } from './cluster.ts'
import { PatternCache } from './pattern-cache.ts'
import { EMPTY_TEMPLATE, mergeLine, mergeTemplates, type Template, templateOfLine } from './template.ts'
import { agreeingWords, TemplateMerger } from './template-merger.ts'
import { TemplateTree } from './template-tree.ts'

const MAX_SHAPES = 8

/** Creates and updates the state that the miner's owner keeps with each pattern. */
interface StateHooks<R> {
  create(): R
  /** Called after `other` was merged into `survivor`. */
  merged(survivor: Cluster<R>, other: Cluster<R>): void
  /** Called after a pattern was evicted or forgotten. */
  removed(cluster: Cluster<R>): void
}

export type StoredCluster = Readonly<
  Pick<Cluster<unknown>, 'id' | 'template' | 'source' | 'lines' | 'aliases' | 'pinned'>
>

/** The patterns of one source. */
interface Scope<R> {
  readonly number: number
  readonly source: string
  readonly tree: TemplateTree<Cluster<R>>
  readonly merger: TemplateMerger<Cluster<R>>
}

/**
 * Finds patterns of log lines online: a line is counted to the pattern whose template it matches, or creates a new one.
 * Patterns that differ only in values are merged. Each source has patterns of its own; there are at most `maxPatterns`
 * in all.
 */
export class Miner<R> {
  merged = 0
  evicted = 0
  readonly #maxPatterns: number
  readonly #hooks: StateHooks<R>
  readonly #tokenizer = new Tokenizer()
  readonly #cache = new PatternCache<Cluster<R>>()
  readonly #scopes = new Map<string, Scope<R>>()
  readonly #ids = new ClusterIds<R>()
  readonly #live = new Set<Cluster<R>>()
  #clock = 0
  #births = 0

  constructor(maxPatterns: number, hooks: StateHooks<R>) {
    this.#maxPatterns = maxPatterns
    this.#hooks = hooks
  }

  get size(): number {
    return this.#live.size
  }

  clusters(): IterableIterator<Cluster<R>> {
    return this.#live.values()
  }

  byId(id: string): Cluster<R> | undefined {
    const cluster = this.#ids.get(id)
    return cluster && survivorOf(cluster)
  }

  observe(text: string, source: string): Cluster<R> {
    const scope = this.#scopeOf(source)
    const tokenizer = this.#tokenizer
    tokenizer.readLine(text)
    const cached = this.#cache.get(tokenizer, scope.number)
    let cluster = cached && survivorOf(cached)
    if (!cluster?.alive) cluster = this.#findOrCreate(scope)
    else if (cluster.shapes.length < MAX_SHAPES && !cluster.shapes.includes(tokenizer.shape))
      cluster = this.#generalise(scope, cluster)
    cluster.lines++
    cluster.lastLine = ++this.#clock
    if (this.#live.size > this.#maxPatterns) this.#evict(cluster)
    return cluster
  }

  /** Adds a stored pattern. Returns undefined when its id is taken. */
  restore({ id, template, source, lines, aliases, pinned }: StoredCluster, state: R): Cluster<R> | undefined {
    if (this.#ids.has(id)) return undefined
    const scope = this.#scopeOf(source)
    const cluster = this.#register(id, source, template, state)
    cluster.lines = lines
    cluster.pinned = pinned
    cluster.lastLine = ++this.#clock
    for (const alias of aliases) if (!this.#ids.has(alias)) this.#ids.addAlias(cluster, alias, cluster)
    const restored = this.#insert(scope, cluster)
    if (this.#live.size > this.#maxPatterns) this.#evict(restored)
    return restored
  }

  forget(cluster: Cluster<R>): void {
    this.#removeFromIndex(this.#scopeOf(cluster.source), cluster)
    cluster.alive = false
    // The cache of recent lines may still hold this pattern; free its template.
    cluster.template = EMPTY_TEMPLATE
    this.#live.delete(cluster)
    this.#ids.remove(cluster)
    this.#hooks.removed(cluster)
  }

  #scopeOf(source: string): Scope<R> {
    const known = this.#scopes.get(source)
    if (known) return known
    const scope = {
      number: this.#scopes.size,
      source,
      tree: new TemplateTree<Cluster<R>>(),
      merger: new TemplateMerger<Cluster<R>>(),
    }
    this.#scopes.set(source, scope)
    return scope
  }

  #findOrCreate(scope: Scope<R>): Cluster<R> {
    const tokenizer = this.#tokenizer
    const found = scope.tree.match(tokenizer.words())
    // Cached from the second line on, because most patterns with one line never get another.
    if (!found) return this.#insert(scope, this.#create(scope.source))
    this.#cache.set(tokenizer, scope.number, found)
    return this.#hasNewShape(found) ? this.#generalise(scope, found) : found
  }

  #hasNewShape({ shapes }: Cluster<R>): boolean {
    return shapes.length < MAX_SHAPES && !shapes.includes(this.#tokenizer.shape)
  }

  #create(source: string): Cluster<R> {
    const template = templateOfLine(this.#tokenizer)
    const cluster = this.#register(this.#ids.create(source, template.text), source, template, this.#hooks.create())
    cluster.shapes.push(this.#tokenizer.shape)
    return cluster
  }

  #register(id: string, source: string, template: Template, state: R): Cluster<R> {
    const cluster: Cluster<R> = {
      id,
      source,
      born: this.#births++,
      state,
      template,
      wordCount: agreeingWords(template),
      alive: true,
      mergedInto: undefined,
      lines: 0,
      lastLine: 0,
      pinned: false,
      shapes: [],
      aliases: [],
    }
    this.#live.add(cluster)
    this.#ids.add(cluster)
    return cluster
  }

  /** Replaces parts of the template that the current line does not share with wildcards. */
  #generalise(scope: Scope<R>, cluster: Cluster<R>): Cluster<R> {
    cluster.shapes.push(this.#tokenizer.shape)
    if (cluster.template.tokens.length !== this.#tokenizer.tokenCount) return cluster
    const template = mergeLine(this.#tokenizer, cluster.template)
    if (template === cluster.template) return cluster
    this.#removeFromIndex(scope, cluster)
    this.#setTemplate(cluster, template)
    return this.#insert(scope, cluster)
  }

  #setTemplate(cluster: Cluster<R>, template: Template): void {
    cluster.template = template
    cluster.wordCount = agreeingWords(template)
  }

  /** Adds a pattern to the index and merges it with equal and similar ones. Returns the resulting pattern. */
  #insert(scope: Scope<R>, added: Cluster<R>): Cluster<R> {
    let cluster = added
    for (;;) {
      const { tokens } = cluster.template
      const same = scope.tree.at(tokens)
      if (same) {
        cluster = this.#merge(scope, same.born < cluster.born ? [same, cluster] : [cluster, same])
        continue
      }
      scope.tree.set(tokens, cluster)
      const joining = scope.merger.add(cluster)
      if (joining.length < 2) return cluster
      cluster = this.#merge(scope, joining)
    }
  }

  #removeFromIndex(scope: Scope<R>, cluster: Cluster<R>): void {
    const { tokens } = cluster.template
    if (scope.tree.at(tokens) !== cluster) return
    scope.tree.delete(tokens)
    scope.merger.remove(cluster)
  }

  /** Merges all members into the oldest, which comes first. The result is not in the index. */
  #merge(scope: Scope<R>, members: readonly Cluster<R>[]): Cluster<R> {
    const [survivor, ...others] = members as [Cluster<R>, ...Cluster<R>[]]
    for (const member of members) this.#removeFromIndex(scope, member)
    const templates = others.map(({ template }) => template)
    this.#setTemplate(survivor, mergeTemplates(survivor.template, templates))
    for (const other of others) {
      survivor.lines += other.lines
      survivor.lastLine = Math.max(survivor.lastLine, other.lastLine)
      survivor.pinned ||= other.pinned
      other.alive = false
      other.mergedInto = survivor
      this.#live.delete(other)
      for (const id of [other.id, ...other.aliases]) this.#ids.addAlias(survivor, id, other)
      this.#hooks.merged(survivor, other)
      this.merged++
    }
    survivor.shapes.length = Math.min(survivor.shapes.length, MAX_SHAPES / 2)
    return survivor
  }

  #evict(newest: Cluster<R>): void {
    for (const cluster of evictable(this.#live, this.#maxPatterns)) {
      if (cluster === newest) continue
      this.forget(cluster)
      this.evicted++
    }
  }
}
