import { hash } from 'node:crypto'
import { Scan } from '../tokens/token-scanner.ts'
import { type Cluster, evictable, survivorOf } from './cluster.ts'
import { Recall } from './pattern-cache.ts'
import { blend, blendLine, NOTHING, type Template, templateOfLine } from './template.ts'
import { Siblings } from './template-merger.ts'
import { Tree } from './tree.ts'

const MAX_SHAPES = 8
const MAX_ALIASES = 64
const ID_LENGTH = 14

/** What the owner of a miner keeps for each pattern, and is told of. */
export interface Records<R> {
  born(): R
  /** What `other` counted is the survivor's from now on. */
  joined(survivor: Cluster<R>, other: Cluster<R>): void
  /** It was evicted or forgotten. */
  gone(cluster: Cluster<R>): void
}

export interface Adoption {
  readonly id: string
  readonly template: Template
  readonly source: string
  readonly lines: number
  readonly aliases: readonly string[]
  readonly pinned: boolean
}

interface Scope<R> {
  readonly number: number
  readonly source: string
  readonly tree: Tree<Cluster<R>>
  readonly siblings: Siblings<Cluster<R>>
}

/**
 * Online: each line goes to the pattern whose template it matches, or makes a new one; patterns that turn out to be one are joined. Patterns
 * are of one source each, and at most `maxPatterns` in all.
 */
export class Miner<R> {
  merged = 0
  evicted = 0
  readonly #maxPatterns: number
  readonly #records: Records<R>
  readonly #scan = new Scan()
  readonly #recall = new Recall<Cluster<R>>()
  readonly #scopes = new Map<string, Scope<R>>()
  readonly #ids = new Map<string, Cluster<R>>()
  readonly #live = new Set<Cluster<R>>()
  #clock = 0
  #births = 0

  constructor(maxPatterns: number, records: Records<R>) {
    this.#maxPatterns = maxPatterns
    this.#records = records
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
    const scan = this.#scan
    scan.readLine(text)
    const recalled = this.#recall.get(scan, scope.number)
    let cluster = recalled && survivorOf(recalled)
    if (!cluster?.alive) cluster = this.#place(scope)
    else if (cluster.shapes.length < MAX_SHAPES && !cluster.shapes.includes(scan.shape))
      cluster = this.#adjust(scope, cluster)
    cluster.lines++
    cluster.seen = ++this.#clock
    if (this.#live.size > this.#maxPatterns) this.#makeRoom(cluster)
    return cluster
  }

  /** Takes in a pattern of an earlier run; undefined when its id is taken. */
  adopt({ id, template, source, lines, aliases, pinned }: Adoption, record: R): Cluster<R> | undefined {
    if (this.#ids.has(id)) return undefined
    const scope = this.#scopeOf(source)
    const cluster = this.#bear(id, source, template, record)
    Object.assign(cluster, { lines, pinned, seen: ++this.#clock })
    for (const alias of aliases) if (!this.#ids.has(alias)) this.#alias(cluster, alias, cluster)
    const settled = this.#settle(scope, cluster)
    if (this.#live.size > this.#maxPatterns) this.#makeRoom(settled)
    return settled
  }

  forget(cluster: Cluster<R>): void {
    this.#leave(this.#scopeOf(cluster.source), cluster)
    cluster.alive = false
    // Recent lines may still lead here.
    cluster.template = NOTHING
    this.#live.delete(cluster)
    for (const id of [cluster.id, ...cluster.aliases]) this.#ids.delete(id)
    this.#records.gone(cluster)
  }

  #scopeOf(source: string): Scope<R> {
    const known = this.#scopes.get(source)
    if (known) return known
    const scope = {
      number: this.#scopes.size,
      source,
      tree: new Tree<Cluster<R>>(),
      siblings: new Siblings<Cluster<R>>(),
    }
    this.#scopes.set(source, scope)
    return scope
  }

  #place(scope: Scope<R>): Cluster<R> {
    const scan = this.#scan
    const found = scope.tree.match(scan.words())
    // Not before the second line: most of what comes once never comes again.
    if (!found) return this.#settle(scope, this.#create(scope.source))
    this.#recall.set(scan, scope.number, found)
    return this.#differs(found) ? this.#adjust(scope, found) : found
  }

  #differs({ shapes }: Cluster<R>): boolean {
    return shapes.length < MAX_SHAPES && !shapes.includes(this.#scan.shape)
  }

  #create(source: string): Cluster<R> {
    const template = templateOfLine(this.#scan)
    const cluster = this.#bear(this.#freeId(source, template.text), source, template, this.#records.born())
    cluster.shapes.push(this.#scan.shape)
    return cluster
  }

  #bear(id: string, source: string, template: Template, record: R): Cluster<R> {
    const cluster: Cluster<R> = {
      ...{ id, source, born: this.#births++, record },
      ...{ template, words: wordsOf(template), alive: true, into: undefined },
      ...{ lines: 0, seen: 0, pinned: false, shapes: [], aliases: [] },
    }
    this.#live.add(cluster)
    this.#ids.set(id, cluster)
    return cluster
  }

  /** The same text has the same id, in another run too. */
  #freeId(source: string, template: string): string {
    for (let attempt = 0; ; attempt++) {
      const id = hash('sha256', [source, template, attempt].join('\0')).slice(0, ID_LENGTH)
      if (!this.#ids.has(id)) return id
    }
  }

  /** Lets the template show no more than is common to all lines. */
  #adjust(scope: Scope<R>, cluster: Cluster<R>): Cluster<R> {
    cluster.shapes.push(this.#scan.shape)
    if (cluster.template.columns.length !== this.#scan.columns) return cluster
    const template = blendLine(this.#scan, cluster.template)
    if (template === cluster.template) return cluster
    this.#leave(scope, cluster)
    this.#show(cluster, template)
    return this.#settle(scope, cluster)
  }

  #show(cluster: Cluster<R>, template: Template): void {
    cluster.template = template
    cluster.words = wordsOf(template)
  }

  /** Puts a pattern where it is found, joins it with those it turns out to be one with, and returns what became of it. */
  #settle(scope: Scope<R>, unsettled: Cluster<R>): Cluster<R> {
    let cluster = unsettled
    for (;;) {
      const { columns } = cluster.template
      const same = scope.tree.at(columns)
      if (same) {
        cluster = this.#join(scope, same.born < cluster.born ? [same, cluster] : [cluster, same])
        continue
      }
      scope.tree.set(columns, cluster)
      const joining = scope.siblings.add(cluster)
      if (joining.length < 2) return cluster
      cluster = this.#join(scope, joining)
    }
  }

  #leave(scope: Scope<R>, cluster: Cluster<R>): void {
    const { columns } = cluster.template
    if (scope.tree.at(columns) !== cluster) return
    scope.tree.delete(columns)
    scope.siblings.remove(cluster)
  }

  /** Makes the oldest one of all; it has no place then. */
  #join(scope: Scope<R>, members: readonly Cluster<R>[]): Cluster<R> {
    const [survivor, ...others] = members as [Cluster<R>, ...Cluster<R>[]]
    for (const member of members) this.#leave(scope, member)
    const templates = others.map(({ template }) => template)
    this.#show(survivor, blend(survivor.template, templates))
    for (const other of others) {
      survivor.lines += other.lines
      survivor.seen = Math.max(survivor.seen, other.seen)
      survivor.pinned ||= other.pinned
      other.alive = false
      other.into = survivor
      this.#live.delete(other)
      for (const id of [other.id, ...other.aliases]) this.#alias(survivor, id, other)
      this.#records.joined(survivor, other)
      this.merged++
    }
    survivor.shapes.length = Math.min(survivor.shapes.length, MAX_SHAPES / 2)
    return survivor
  }

  #alias(survivor: Cluster<R>, id: string, holder: Cluster<R>): void {
    survivor.aliases.push(id)
    this.#ids.set(id, holder)
    if (survivor.aliases.length > MAX_ALIASES) this.#ids.delete(survivor.aliases.shift() ?? '')
  }

  #makeRoom(newest: Cluster<R>): void {
    for (const cluster of evictable(this.#live, this.#maxPatterns)) {
      if (cluster === newest) continue
      this.forget(cluster)
      this.evicted++
    }
  }
}

const wordsOf = ({ columns }: Template) => columns.filter((column) => typeof column === 'string').length
