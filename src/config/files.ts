import { existsSync, readFileSync } from 'node:fs'
import { isObject } from '../text/json-object.ts'
import { ConfigError, type LocatedIssue, type Path } from './config-error.ts'
import type { Variables } from './environment.ts'
import { valueAt } from './messages.ts'
import { NO_FILE, type ParsedSource, readSource, type Source } from './source.ts'
import { type Lookups, reason } from './substitute.ts'

interface ReadOptions {
  readonly env: Variables
  readonly readFile?: (path: string) => string
}

const DEFAULT_FILE = 'config/config.yaml'
const NOTHING: ParsedSource = { source: NO_FILE, issues: [], warnings: [] }

/**
 * Reads the configuration file, and the file that `agent.sources_path` names. Throws config_invalid when one cannot be
 * read or is not YAML.
 */
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

/** Puts the list of the file `agent.sources_path` at `agent.sources`. */
function withSources(main: ParsedSource, lookups: Lookups): ParsedSource {
  const { value } = main.source
  const file = valueAt(value, ['agent', 'sources_path'])
  if (typeof file !== 'string' || file === '') return main
  const inline = valueAt(value, LIST)
  if (Array.isArray(inline) && inline.length > 0) return { ...main, issues: [...main.issues, twice(main.source)] }
  const other = readOne(file, lookups)
  const issues = other.issues.map((issue) => ({ ...issue, path: [...LIST, ...issue.path] }))
  return {
    source: grafted(main.source, other.source),
    issues: [...main.issues, ...issues],
    warnings: [...main.warnings, ...other.warnings],
  }
}

function twice(source: Source): LocatedIssue {
  const path = ['agent', 'sources_path']
  return {
    where: source.where(path),
    path,
    message: 'is set together with a list in agent.sources: keep one of the two',
  }
}

/** Returns `main` with the list of `other` at `agent.sources`. In `other` it stands alone or under a key `sources`. */
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
