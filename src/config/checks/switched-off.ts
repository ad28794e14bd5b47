import { CHANNEL_NAMES } from '../../domain/delivery/delivery.ts'
import { isObject } from '../../text/json-object.ts'
import { dotted, type Lookup, type Path } from '../config-error.ts'

/** A part of the configuration whose faults count only once it is switched on. */
interface OffPart {
  /** The smallest part around the fault that can be left out. */
  readonly path: Path
  /** Says what is off. */
  readonly because: string
}

/** Returns the part that a fault at `path` concerns, if that part is switched off; undefined when the fault counts. */
export function offPart(path: Path, get: Lookup): OffPart | undefined {
  const [section, key = '', entry] = path.map(String)
  const isOff = (name: string) => get(`${name}.enable`) === false
  switch (section) {
    case 'alert':
      return isChannelName(key) && isOff(`alert.${key}`) ? off(path, key) : undefined
    case 'storage':
      return ofStorage(path, get)
    case 'topicsvc':
      return isOff('topicsvc') ? off(path, 'topicsvc') : undefined
    case 'oncall':
      return ofOncall(path, get)
    case 'agent':
      if (isOff('agent')) return off(path, 'agent')
      return key === 'sources' && isOff(`agent.sources.${entry}`) ? off(path, 'the source') : undefined
    default:
      return undefined
  }
}

const isChannelName = (key: string) => CHANNEL_NAMES.some((name) => name === key)
const off = (path: Path, name: string): OffPart => ({ path: leftOut(path), because: `${name} is off` })

/** Returns the path of the entry of a list that the path leads into, else the path itself. */
function leftOut(path: Path): Path {
  const at = path.findIndex((part) => typeof part === 'number')
  return at < 0 ? path : path.slice(0, at + 1)
}

/** The section of the other type is off, except for the directory, which either needs. */
function ofStorage(path: Path, get: Lookup): OffPart | undefined {
  const [, key, name] = path.map(String)
  const type = get('storage.type')
  if ((key !== 'file' && key !== 'postgres') || name === 'data_dir') return undefined
  const isUnused = type === (key === 'file' ? 'postgres' : 'file')
  return isUnused ? { path, because: `storage.type is ${type}` } : undefined
}

/** Maps of the section that belong to no provider. */
const OF_ALL = ['schedules', 'escalations', 'overrides', 'feeds', 'gateways']

/** While on-call is off `?oncall_enable=true` still pages, so only the choice of the provider and unused ones are off. */
function ofOncall(path: Path, get: Lookup): OffPart | undefined {
  const [, key = ''] = path.map(String)
  const provider = get('oncall.provider')
  if (key === 'provider') return get('oncall.enable') === false ? off(path, 'oncall') : undefined
  const isUnused = isObject(get(`oncall.${key}`)) && key !== provider && !OF_ALL.includes(key)
  return isUnused ? { path, because: `oncall.provider is ${JSON.stringify(provider)}` } : undefined
}

/** Returns plain data without the values at the dotted paths. What no path leads into is not copied. */
export function without(tree: unknown, left: ReadonlySet<string>, path: Path = []): unknown {
  const isKept = (key: string | number) => !left.has(dotted([...path, key]))
  const isTouched = (key: string | number) => [...left].some((each) => each.startsWith(`${dotted([...path, key])}.`))
  const inner = (key: string | number, value: unknown) =>
    isTouched(key) ? without(value, left, [...path, key]) : value
  if (Array.isArray(tree)) return [...tree.entries()].filter(([at]) => isKept(at)).map(([at, item]) => inner(at, item))
  if (!isObject(tree)) return tree
  const kept = Object.entries(tree).filter(([key]) => isKept(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, inner(key, value)]))
}

/** Returns the path in the data before `without` of the value at `path` after it. */
export function pathBefore(path: Path, left: ReadonlySet<string>): Path {
  const before: (string | number)[] = []
  for (const part of path) before.push(typeof part === 'string' ? part : nthKept(part, before, left))
  return before
}

function nthKept(nth: number, list: Path, left: ReadonlySet<string>): number {
  let at = 0
  for (let kept = 0; ; at++) if (!left.has(dotted([...list, at])) && kept++ === nth) return at
}
