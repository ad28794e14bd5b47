import type { EffectiveConfig } from '../../../src/api/config.ts'

export interface ConfigEntry {
  /** Full path of the key: `alert.chatws.token`. */
  readonly path: string
  /** Title of its card: `alert.chatws`. */
  readonly section: string
  /** Rest of the path: `token`. */
  readonly key: string
  readonly value: string
  readonly origin: string
}

const TOP = 'service'

/** Returns one entry for each value that is not an object, in the order of the configuration. */
export function entriesOf({ config, origins }: EffectiveConfig): ConfigEntry[] {
  return leavesOf(config, []).map(([path, value]) => {
    const name = path.join('.')
    const section = path.length > 2 ? path.slice(0, 2).join('.') : (path.length > 1 && path[0]) || TOP
    const key = section === TOP ? name : name.slice(section.length + 1)
    return { path: name, section, key, value: written(value), origin: originOf(origins, path) }
  })
}

/** Returns the origin of the value, or of the nearest object around it that has one. */
function originOf(origins: EffectiveConfig['origins'], path: readonly string[]): string {
  for (let length = path.length; length > 0; length--) {
    const origin = origins[path.slice(0, length).join('.')]
    if (origin !== undefined) return origin
  }
  return 'default'
}

function leavesOf(value: unknown, path: readonly string[]): [path: readonly string[], value: unknown][] {
  const nested = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!nested || Object.keys(value).length === 0) return [[path, value]]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]))
}

function written(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'object') return String(value)
  const empty = Object.keys(value).length === 0
  return empty ? 'none' : JSON.stringify(value)
}
