import type { Path } from '../../config/config-error.ts'
import { isObject } from '../../text/json-object.ts'

/** Sets a value in a tree of maps. */
export function place(tree: { [key: string]: unknown }, path: Path, value: unknown): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) tree[key] = value
  else {
    const inner = tree[key]
    const map = isObject(inner) ? (inner as { [key: string]: unknown }) : {}
    tree[key] = map
    place(map, rest, value)
  }
}
