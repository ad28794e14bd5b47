import type { Column } from './template.ts'
import { isFault } from './words.ts'

/** What a tree leads to. */
interface Leaf {
  /** Words among its columns. */
  readonly words: number
}

interface Node<T> {
  words: Map<string, Node<T>> | undefined
  /** By how many values the run has. */
  runs: Map<number, Node<T>> | undefined
  leaf: T | undefined
}

/** Steps after which a search gives up: a line of nothing but words under many runs could branch without end. */
const MAX_STEPS = 2_000
/** A run takes words in only where at least this many other words agree. */
export const AGREEING_WORDS = 2

/** Patterns by their columns; finds the one that a line's columns match, words before runs. */
export class Tree<T extends Leaf> {
  readonly #root: Node<T> = branch()
  #columns: readonly (string | undefined)[] = []
  #steps = 0

  at(columns: readonly Column[]): T | undefined {
    let node: Node<T> | undefined = this.#root
    for (const column of columns) node = node && next(node, column)
    return node?.leaf
  }

  set(columns: readonly Column[], leaf: T): void {
    let node = this.#root
    for (const column of columns) node = next(node, column) ?? grow(node, column)
    node.leaf = leaf
  }

  delete(columns: readonly Column[]): void {
    const trail: Node<T>[] = [this.#root]
    for (const column of columns) {
      const node = next(trail.at(-1) as Node<T>, column)
      if (!node) return
      trail.push(node)
    }
    let node = trail.pop() as Node<T>
    node.leaf = undefined
    for (const column of columns.toReversed()) {
      if (node.leaf || node.words?.size || node.runs?.size) return
      node = trail.pop() as Node<T>
      if (typeof column === 'string') node.words?.delete(column)
      else node.runs?.delete(column)
    }
  }

  /** `columns` of a line: its words, undefined for runs of values. */
  match(columns: readonly (string | undefined)[]): T | undefined {
    this.#columns = columns
    this.#steps = MAX_STEPS
    return this.#match(this.#root, 0, false)
  }

  #match(node: Node<T>, at: number, covering: boolean): T | undefined {
    if (this.#steps-- <= 0) return undefined
    if (at === this.#columns.length) return covering && (node.leaf?.words ?? 0) < AGREEING_WORDS ? undefined : node.leaf
    const word = this.#columns[at]
    const same = word === undefined ? undefined : node.words?.get(word)
    const found = same && this.#match(same, at + 1, covering)
    if (found || !node.runs) return found
    for (const [values, after] of node.runs) {
      const taken = this.#matchRun(after, at, values, covering)
      if (taken) return taken
    }
    return undefined
  }

  /** A run takes in values, words among values, or as many words as it has values. */
  #matchRun(after: Node<T>, at: number, values: number, covering: boolean): T | undefined {
    let words = 0
    for (let taken = 1; taken <= values && at + taken <= this.#columns.length; taken++) {
      const word = this.#columns[at + taken - 1]
      if (word !== undefined) {
        if (isFault(word)) return undefined
        words++
      }
      if (words === taken && taken > 1 && taken !== values) continue
      const found = this.#match(after, at + taken, covering || words > 0)
      if (found) return found
    }
    return undefined
  }
}

const branch = <T>(): Node<T> => ({ words: undefined, runs: undefined, leaf: undefined })

function next<T>(node: Node<T>, column: Column): Node<T> | undefined {
  return typeof column === 'string' ? node.words?.get(column) : node.runs?.get(column)
}

function grow<T>(node: Node<T>, column: Column): Node<T> {
  const grown: Node<T> = branch()
  if (typeof column === 'string') {
    node.words ??= new Map()
    node.words.set(column, grown)
  } else {
    node.runs ??= new Map()
    node.runs.set(column, grown)
  }
  return grown
}
