import { existsSync, readFileSync } from 'node:fs'
import { isObject } from '../text/json-object.ts'
import type { Variables } from './environment.ts'
import { ConfigError, type Fault, type Path } from './fault.ts'
import { valueAt } from './messages.ts'
import { NO_FILE, type ParsedSource, readSource, type Source } from './source.ts'
import { type Lookups, reason } from './substitute.ts'

interface ReadOptions {
  readonly env: Variables
  readonly readFile?: (path: string) => string
}

const DEFAULT_FILE = 'config/config.yaml'
const NOTHING: ParsedSource = { source: NO_FILE, faults: [], warnings: [] }

/** Reads the file, and the one that `agent.sources_path` names. Throws a `ConfigError` when one is missing or is not YAML. */
export function readFiles(file: string | undefined, { env, readFile = readText }: ReadOptions): ParsedSource {
  const lookups: Lookups = { variable: (name) => (Object.hasOwn(env, name) ? env[name] : undefined), file: readFile }
  const chosen = file || env.CONFIG_PATH || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined)
  if (chosen === undefined) return NOTHING
  const main = readOne(chosen, lookups)
  if (!isObject(main.source.value))
    throw new ConfigError([{ where: chosen, path: [], message: 'must hold a map of keys' }])
  return withSources(main, lookups)
}

const readText = (path: string) => readFileSync(path, 'utf8')

function readOne(file: string, lookups: Lookups): ParsedSource {
  let text: string
  try {
    text = lookups.file(file)
  } catch (error) {
    throw new ConfigError([{ where: file, path: [], message: `cannot be read: ${reason(error)}` }])
  }
  return readSource(file, text, lookups)
}

const LIST: Path = ['agent', 'sources']

/** Puts the list of `agent.sources_path` where `agent.sources` is. */
function withSources(main: ParsedSource, lookups: Lookups): ParsedSource {
  const { value } = main.source
  const file = valueAt(value, ['agent', 'sources_path'])
  if (typeof file !== 'string' || file === '') return main
  const inline = valueAt(value, LIST)
  if (Array.isArray(inline) && inline.length > 0) return { ...main, faults: [...main.faults, twice(main.source)] }
  const other = readOne(file, lookups)
  const faults = other.faults.map((fault) => ({ ...fault, path: [...LIST, ...fault.path] }))
  return {
    source: grafted(main.source, other.source),
    faults: [...main.faults, ...faults],
    warnings: [...main.warnings, ...other.warnings],
  }
}

function twice(source: Source): Fault {
  const path = ['agent', 'sources_path']
  return {
    where: source.where(path),
    path,
    message: 'cannot stand beside a list in agent.sources: keep one of the two',
  }
}

/** `main` with the list of `other`, given bare or under a key `sources`, at `agent.sources`. */
function grafted(main: Source, other: Source): Source {
  const root: Path = isObject(other.value) && Object.hasOwn(other.value, 'sources') ? ['sources'] : []
  const isOurs = (path: Path) => LIST.every((part, index) => path[index] === part)
  const inOther = (path: Path) => [...root, ...path.slice(LIST.length)]
  const value = isObject(main.value) ? main.value : {}
  const agent = isObject(value.agent) ? value.agent : {}
  return {
    value: { ...value, agent: { ...agent, sources: valueAt(other.value, root) } },
    where: (path) => (isOurs(path) ? other.where(inOther(path)) : main.where(path)),
    written: (path) => (isOurs(path) ? other.written(inOther(path)) : main.written(path)),
  }
}
