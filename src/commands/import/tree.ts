import type { Path } from '../../config/config-error.ts'
import { isObject } from '../../text/json-object.ts'

interface Tree {
  [key: string]: unknown
}

/** Sets a value in a tree of maps, and of lists where the path has numbers. */
export function place(tree: Tree, [key = '', ...rest]: Path, value: unknown): void {
  if (rest.length === 0) {
    tree[key] = value
    return
  }
  const inner = tree[key]
  const empty = typeof rest[0] === 'number' ? [] : {}
  tree[key] = isObject(inner) || Array.isArray(inner) ? inner : empty
  place(tree[key] as Tree, rest, value)
}
