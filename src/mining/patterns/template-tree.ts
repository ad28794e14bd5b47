import { isErrorWord } from '../tokens/word-classes.ts'
import type { TemplateToken } from './template.ts'

/** A value stored in the tree. */
interface Leaf {
  /** Number of words beside the header. */
  readonly wordCount: number
}

interface Node<T> {
  /** Token of the only branch. Most nodes have one branch, which is stored without a map. */
  token: TemplateToken | undefined
  onlyBranch: Node<T> | undefined
  /** Branches by word, or by the capacity of a wildcard, where there is more than one. */
  branches: Map<TemplateToken, Node<T>> | undefined
  /** Capacities of the branches that are wildcards. */
  wildcards: number[] | undefined
  leaf: T | undefined
}

/** Steps after which a search gives up, because a search among many wildcards takes exponential time. */
const MAX_STEPS = 2_000
/** A wildcard matches words only in a template with at least this many words. */
const MIN_AGREEING_WORDS = 2

/**
 * Prefix tree of templates by their tokens. Finds the template that a line matches; words are tried before wildcards. A
 * wildcard matches up to its capacity of consecutive tokens.
 */
export class TemplateTree<T extends Leaf> {
  readonly #root: Node<T> = emptyNode()
  #lineTokens: readonly (string | undefined)[] = []
  #steps = 0

  at(tokens: readonly TemplateToken[]): T | undefined {
    let node: Node<T> | undefined = this.#root
    for (const token of tokens) node = node && branch(node, token)
    return node?.leaf
  }

  set(tokens: readonly TemplateToken[], leaf: T): void {
    let node = this.#root
    for (const token of tokens) node = branch(node, token) ?? addBranch(node, token)
    node.leaf = leaf
  }

  delete(tokens: readonly TemplateToken[]): void {
    const trail: Node<T>[] = [this.#root]
    for (const token of tokens) {
      const node = branch(trail.at(-1) ?? this.#root, token)
      if (!node) return
      trail.push(node)
    }
    let node = trail.pop() ?? this.#root
    node.leaf = undefined
    for (const token of tokens.toReversed()) {
      if (node.leaf || node.onlyBranch || node.branches) return
      node = trail.pop() ?? this.#root
      removeBranch(node, token)
    }
  }

  /** @param tokens of a line: words, and undefined for each run of values */
  match(tokens: readonly (string | undefined)[]): T | undefined {
    this.#lineTokens = tokens
    this.#steps = MAX_STEPS
    return this.#match(this.#root, 0, false)
  }

  #match(node: Node<T>, at: number, coversWord: boolean): T | undefined {
    if (this.#steps-- <= 0) return undefined
    if (at === this.#lineTokens.length)
      return coversWord && (node.leaf?.wordCount ?? 0) < MIN_AGREEING_WORDS ? undefined : node.leaf
    const word = this.#lineTokens[at]
    const same = word === undefined ? undefined : branch(node, word)
    const found = same && this.#match(same, at + 1, coversWord)
    if (found) return found
    if (node.onlyBranch) return this.#matchWildcard(node.onlyBranch, at, node.token, coversWord)
    for (const capacity of node.wildcards ?? []) {
      const after = node.branches?.get(capacity)
      const matched = after && this.#matchWildcard(after, at, capacity, coversWord)
      if (matched) return matched
    }
    return undefined
  }

  /** Matches a wildcard with values, words among values, or exactly its capacity of words. Error words never match. */
  #matchWildcard(after: Node<T>, at: number, capacity: TemplateToken | undefined, coversWord: boolean): T | undefined {
    if (typeof capacity !== 'number') return undefined
    let words = 0
    for (let taken = 1; taken <= capacity && at + taken <= this.#lineTokens.length; taken++) {
      const word = this.#lineTokens[at + taken - 1]
      if (word !== undefined) {
        if (isErrorWord(word)) return undefined
        words++
      }
      if (words === taken && taken > 1 && taken !== capacity) continue
      const found = this.#match(after, at + taken, coversWord || words > 0)
      if (found) return found
    }
    return undefined
  }
}

const emptyNode = <T>(): Node<T> => ({
  token: undefined,
  onlyBranch: undefined,
  branches: undefined,
  wildcards: undefined,
  leaf: undefined,
})

function branch<T>(node: Node<T>, token: TemplateToken): Node<T> | undefined {
  return node.branches ? node.branches.get(token) : node.token === token ? node.onlyBranch : undefined
}

function addBranch<T>(node: Node<T>, token: TemplateToken): Node<T> {
  const grown: Node<T> = emptyNode()
  if (!node.onlyBranch && !node.branches) {
    node.token = token
    node.onlyBranch = grown
    return grown
  }
  const { token: first, onlyBranch } = node
  if (onlyBranch && first !== undefined) {
    node.branches = new Map([[first, onlyBranch]])
    node.wildcards = typeof first === 'number' ? [first] : undefined
    node.token = undefined
    node.onlyBranch = undefined
  }
  node.branches?.set(token, grown)
  if (typeof token === 'number') node.wildcards = [...(node.wildcards ?? []), token]
  return grown
}

function removeBranch<T>(node: Node<T>, token: TemplateToken): void {
  if (node.branches?.delete(token) && node.branches.size === 0) node.branches = undefined
  if (typeof token === 'number' && node.wildcards) node.wildcards = node.wildcards.filter((room) => room !== token)
  if (node.token === token) {
    node.token = undefined
    node.onlyBranch = undefined
  }
}
