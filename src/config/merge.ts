import { isObject } from '../text/json-object.ts'
import { dotted, type Path } from './config-error.ts'
import { type Environment, variableAt } from './environment/environment.ts'
import type { Source } from './files/source.ts'
import type { SchemaNode } from './schema-walk.ts'

/** The layer that a value comes from. `env NAME`: an environment variable that overrides the file. */
export type Origin = 'file' | 'default' | `env ${string}`

/** One value of the configuration, from file and environment. */
interface Merged {
  /** Without defaults, for validation. */
  readonly input: unknown
  /** With defaults, to show to people. */
  readonly effective: unknown
}

export interface Layers {
  readonly source: Source
  readonly environment: Environment
  /** Filled by `merge`. */
  readonly origins: Map<string, Origin>
}

/** Merges file, environment and defaults along the schema; leaves out unknown keys. */
export function merge(node: SchemaNode, value: unknown, path: Path, layers: Layers): Merged {
  switch (node.kind) {
    case 'map':
      return map(node, value ?? {}, path, layers)
    case 'names':
      return names(node, value ?? {}, path, layers)
    case 'list':
      return list(node, value, path, layers)
    case 'leaf':
      return leaf(node, value, path, layers)
    default:
      return node.kind satisfies never
  }
}

function map(node: SchemaNode, value: unknown, path: Path, layers: Layers): Merged {
  if (!isObject(value)) return { input: value, effective: value }
  return entries([...node.keys], value, path, layers)
}

function names(node: SchemaNode, value: unknown, path: Path, layers: Layers): Merged {
  const { values } = node
  if (!isObject(value) || values === undefined) return { input: value, effective: value }
  const prefix = `${dotted(path)}.`
  const added = [...layers.environment.keys()].filter((key) => key.startsWith(prefix))
  const keys = new Set([...Object.keys(value), ...added.map((key) => key.slice(prefix.length))])
  return entries(
    [...keys].map((key) => [key, values]),
    value,
    path,
    layers,
  )
}

function entries(
  keys: readonly (readonly [string, SchemaNode])[],
  value: { readonly [key: string]: unknown },
  path: Path,
  layers: Layers,
): Merged {
  const merged = keys.map(([key, node]) => {
    const own = Object.hasOwn(value, key) ? value[key] : undefined
    return [key, merge(node, own, [...path, key], layers)] as const
  })
  // Object.fromEntries defines its properties, so a key named __proto__ stays a key.
  return {
    input: Object.fromEntries(merged.flatMap(([key, { input }]) => (input === undefined ? [] : [[key, input]]))),
    effective: Object.fromEntries(merged.map(([key, { effective }]) => [key, effective])),
  }
}

function list(node: SchemaNode, given: unknown, path: Path, layers: Layers): Merged {
  const { values, fallback } = node
  if ((given ?? undefined) === undefined && fallback !== undefined) return { input: undefined, effective: fallback }
  const value = given ?? []
  if (!Array.isArray(value) || values === undefined) return { input: value, effective: value }
  const merged = value.map((item: unknown, at) => merge(values, item, [...path, at], layers))
  return { input: merged.map(({ input }) => input), effective: merged.map(({ effective }) => effective) }
}

function leaf(node: SchemaNode, value: unknown, path: Path, { source, environment, origins }: Layers): Merged {
  const set = environment.get(dotted(path))
  const input = set === undefined ? asWanted(node, value, source.written(path)) : converted(node, set.text)
  const variable = variableAt(path, environment)
  const origin: Origin = input === undefined ? 'default' : variable === undefined ? 'file' : `env ${variable}`
  origins.set(dotted(path), origin)
  return { input, effective: input ?? node.fallback }
}

/**
 * Converts a value of the file: an empty one counts as absent, a text that was one whole reference is converted to the
 * wanted type, a number in quotes is a number, and a number is taken as written where text is wanted.
 */
function asWanted(node: SchemaNode, value: unknown, written: ReturnType<Source['written']>): unknown {
  if (value === null) return undefined
  if (written?.substituted === 'whole' && typeof value === 'string')
    return value === '' ? undefined : converted(node, value)
  if (
    typeof value === 'string' &&
    written?.substituted === 'no' &&
    !node.wants.includes('string') &&
    node.wants.includes('number')
  )
    return converted(node, value)
  const wantsText = node.wants.includes('string') && !node.wants.includes('number')
  return typeof value === 'number' && wantsText ? (written?.text ?? String(value)) : value
}

const WORDS = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
])
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/

function converted({ wants }: SchemaNode, text: string): unknown {
  const trimmed = text.trim()
  if (wants.includes('boolean')) return WORDS.get(trimmed.toLowerCase()) ?? trimmed
  if (wants.includes('number') && NUMBER.test(trimmed)) return Number(trimmed)
  return text
}
