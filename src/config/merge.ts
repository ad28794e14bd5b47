import type { Environment } from './environment.ts'
import { dotted, type Path } from './fault.ts'
import type { Shape } from './schema-walk.ts'
import type { Source } from './source.ts'

/** `env NAME` is a variable of the environment that overrides the file. */
export type Origin = 'file' | 'default' | `env ${string}`

/** One value of the configuration after file and environment were put together. */
export interface Settled {
  /** For validation: what was given, with defaults left out. */
  readonly input: unknown
  /** For people: the same with the defaults filled in. */
  readonly effective: unknown
}

export interface Given {
  readonly source: Source
  readonly environment: Environment
  /** Filled as leaves are settled. */
  readonly origins: Map<string, Origin>
}

/** Puts file, environment and defaults together along the shape; keys the shape does not know are left out. */
export function settle(shape: Shape, value: unknown, path: Path, given: Given): Settled {
  switch (shape.kind) {
    case 'map':
      return map(shape, value ?? {}, path, given)
    case 'names':
      return names(shape, value ?? {}, path, given)
    case 'list':
      return list(shape, value ?? [], path, given)
    case 'leaf':
      return leaf(shape, value, path, given)
    default:
      return shape.kind satisfies never
  }
}

function map(shape: Shape, value: unknown, path: Path, given: Given): Settled {
  if (!isRecord(value)) return { input: value, effective: value }
  return entries([...shape.keys], value, path, given)
}

function names(shape: Shape, value: unknown, path: Path, given: Given): Settled {
  const { values } = shape
  if (!isRecord(value) || values === undefined) return { input: value, effective: value }
  const prefix = `${dotted(path)}.`
  const added = [...given.environment.keys()].filter((key) => key.startsWith(prefix))
  const keys = new Set([...Object.keys(value), ...added.map((key) => key.slice(prefix.length))])
  return entries(
    [...keys].map((key) => [key, values]),
    value,
    path,
    given,
  )
}

function entries(
  keys: readonly (readonly [string, Shape])[],
  value: { readonly [key: string]: unknown },
  path: Path,
  given: Given,
): Settled {
  const settled = keys.map(([key, shape]) => {
    const own = Object.hasOwn(value, key) ? value[key] : undefined
    return [key, settle(shape, own, [...path, key], given)] as const
  })
  // Object.fromEntries defines its properties, so a key named __proto__ stays a key.
  return {
    input: Object.fromEntries(settled.flatMap(([key, { input }]) => (input === undefined ? [] : [[key, input]]))),
    effective: Object.fromEntries(settled.map(([key, { effective }]) => [key, effective])),
  }
}

function list(shape: Shape, value: unknown, path: Path, given: Given): Settled {
  const { values } = shape
  if (!Array.isArray(value) || values === undefined) return { input: value, effective: value }
  const settled = value.map((item: unknown, at) => settle(values, item, [...path, at], given))
  return { input: settled.map(({ input }) => input), effective: settled.map(({ effective }) => effective) }
}

function leaf(shape: Shape, value: unknown, path: Path, { source, environment, origins }: Given): Settled {
  const set = environment.get(dotted(path))
  const input = set === undefined ? asWanted(shape, value, source.written(path)) : converted(shape, set.text)
  const origin: Origin = set !== undefined ? `env ${set.variable}` : input === undefined ? 'default' : 'file'
  origins.set(dotted(path), origin)
  return { input, effective: input ?? shape.fallback }
}

/** A value of the file: empty counts as absent, a whole reference takes the wanted type, a number may stand for text. */
function asWanted(shape: Shape, value: unknown, written: ReturnType<Source['written']>): unknown {
  if (value === null) return undefined
  if (written?.substituted === 'whole' && typeof value === 'string')
    return value === '' ? undefined : converted(shape, value)
  const wantsText = shape.wants.includes('string') && !shape.wants.includes('number')
  return typeof value === 'number' && wantsText ? (written?.text ?? String(value)) : value
}

const WORDS = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, false] as const),
])
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/

function converted({ wants }: Shape, text: string): unknown {
  const trimmed = text.trim()
  if (wants.includes('boolean')) return WORDS.get(trimmed.toLowerCase()) ?? trimmed
  if (wants.includes('number') && NUMBER.test(trimmed)) return Number(trimmed)
  return text
}

export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
