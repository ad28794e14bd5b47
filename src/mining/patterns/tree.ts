import { isFault } from '../tokens/fault-words.ts'
import type { Column } from './template.ts'

/** What a tree leads to. */
interface Leaf {
  /** Words among its columns. */
  readonly words: number
}

interface Node<T> {
  /** Most nodes have one branch only, which takes no map. */
  column: Column | undefined
  only: Node<T> | undefined
  /** The branches where there are more: by word, or by how many columns a hole has room for. */
  branches: Map<Column, Node<T>> | undefined
  /** Those of them that are holes. */
  holes: number[] | undefined
  leaf: T | undefined
}

/** Steps after which a search gives up: a line of nothing but words under many holes could branch without end. */
const MAX_STEPS = 2_000
/** A hole takes words in only where at least this many other words agree. */
const AGREEING_WORDS = 2

/** Patterns by their columns; finds the one that a line's columns match, words before holes. */
export class Tree<T extends Leaf> {
  readonly #root: Node<T> = bare()
  #columns: readonly (string | undefined)[] = []
  #steps = 0

  at(columns: readonly Column[]): T | undefined {
    let node: Node<T> | undefined = this.#root
    for (const column of columns) node = node && branch(node, column)
    return node?.leaf
  }

  set(columns: readonly Column[], leaf: T): void {
    let node = this.#root
    for (const column of columns) node = branch(node, column) ?? grow(node, column)
    node.leaf = leaf
  }

  delete(columns: readonly Column[]): void {
    const trail: Node<T>[] = [this.#root]
    for (const column of columns) {
      const node = branch(trail.at(-1) ?? this.#root, column)
      if (!node) return
      trail.push(node)
    }
    let node = trail.pop() ?? this.#root
    node.leaf = undefined
    for (const column of columns.toReversed()) {
      if (node.leaf || node.only || node.branches) return
      node = trail.pop() ?? this.#root
      cut(node, column)
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
    const same = word === undefined ? undefined : branch(node, word)
    const found = same && this.#match(same, at + 1, covering)
    if (found) return found
    if (node.only) return this.#matchHole(node.only, at, node.column, covering)
    for (const room of node.holes ?? []) {
      const after = node.branches?.get(room)
      const taken = after && this.#matchHole(after, at, room, covering)
      if (taken) return taken
    }
    return undefined
  }

  /** A hole takes in values, words among values, or as many words as it has room for. */
  #matchHole(after: Node<T>, at: number, room: Column | undefined, covering: boolean): T | undefined {
    if (typeof room !== 'number') return undefined
    let words = 0
    for (let taken = 1; taken <= room && at + taken <= this.#columns.length; taken++) {
      const word = this.#columns[at + taken - 1]
      if (word !== undefined) {
        if (isFault(word)) return undefined
        words++
      }
      if (words === taken && taken > 1 && taken !== room) continue
      const found = this.#match(after, at + taken, covering || words > 0)
      if (found) return found
    }
    return undefined
  }
}

const bare = <T>(): Node<T> => ({
  column: undefined,
  only: undefined,
  branches: undefined,
  holes: undefined,
  leaf: undefined,
})

function branch<T>(node: Node<T>, column: Column): Node<T> | undefined {
  return node.branches ? node.branches.get(column) : node.column === column ? node.only : undefined
}

function grow<T>(node: Node<T>, column: Column): Node<T> {
  const grown: Node<T> = bare()
  if (!node.only && !node.branches) {
    node.column = column
    node.only = grown
    return grown
  }
  const { column: first, only } = node
  if (only && first !== undefined) {
    node.branches = new Map([[first, only]])
    node.holes = typeof first === 'number' ? [first] : undefined
    node.column = undefined
    node.only = undefined
  }
  node.branches?.set(column, grown)
  if (typeof column === 'number') node.holes = [...(node.holes ?? []), column]
  return grown
}

function cut<T>(node: Node<T>, column: Column): void {
  if (node.branches?.delete(column) && node.branches.size === 0) node.branches = undefined
  if (typeof column === 'number' && node.holes) node.holes = node.holes.filter((room) => room !== column)
  if (node.column === column) {
    node.column = undefined
    node.only = undefined
  }
}
