import { parse } from 'yaml'
import { isObject } from '../../text/json-object.ts'
import type { LocatedIssue, Path } from '../config-error.ts'
import type { Environment } from '../environment/environment.ts'
import type { ParsedSource, Source } from './source.ts'

/** Puts the lists that variables give as YAML into the source. A list of the file at the same place gives way. */
export function withLists(main: ParsedSource, environment: Environment): ParsedSource {
  let { source } = main
  const issues: LocatedIssue[] = []
  for (const { variable, text, path, node } of environment.values()) {
    if (node.kind !== 'list') continue
    const where = `environment variable ${variable}`
    const value = listIn(text)
    // The text is not quoted: a list may hold secrets.
    if (value === undefined) issues.push({ where, path, message: 'must be a list in YAML, such as [first, second]' })
    else source = grafted(source, path, { value, where: () => where, written: () => undefined })
  }
  return { ...main, source, issues: [...main.issues, ...issues] }
}

function listIn(text: string): unknown[] | undefined {
  try {
    const value: unknown = parse(text, { logLevel: 'error' })
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns `main` with the value of `other`, or that at a path of it, at `path`. */
export function grafted(main: Source, path: Path, other: Source, root: Path = []): Source {
  const isOther = (at: Path) => path.every((part, index) => at[index] === part)
  const inOther = (at: Path) => [...root, ...at.slice(path.length)]
  return {
    value: placed(main.value, path, other.value),
    where: (at) => (isOther(at) ? other.where(inOther(at)) : main.where(at)),
    written: (at) => (isOther(at) ? other.written(inOther(at)) : main.written(at)),
  }
}

/** Returns plain data with a value at a path. Where the path leads into a text or number, nothing changes. */
export function placed(tree: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(tree)) return tree.map((item, at) => (at === key ? placed(item, rest, value) : item))
  if (tree !== undefined && tree !== null && !isObject(tree)) return tree
  return { ...tree, [key]: placed(tree?.[String(key)], rest, value) }
}

/** Returns plain data without the key at a path. */
export function removed(tree: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(tree)) return tree.map((item, at) => (at === key ? removed(item, rest) : item))
  if (key === undefined || !isObject(tree) || !Object.hasOwn(tree, key)) return tree
  const { [String(key)]: inner, ...others } = tree
  return rest.length === 0 ? others : { ...tree, [key]: removed(inner, rest) }
}
