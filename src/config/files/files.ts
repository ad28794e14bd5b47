import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../text/json-object.ts'
import { ConfigError, dotted, type LocatedIssue, line, list, type Path, valueAt } from '../config-error.ts'
import type { Environment, Variables } from '../environment/environment.ts'
import { grafted, placed, removed, withLists } from './graft.ts'
import { besideOrHere, isThere } from './places.ts'
import { NO_FILE, type ParsedSource, readSource, type Source } from './source.ts'
import { type Lookups, reason } from './substitute.ts'

interface ReadOptions {
  readonly env: Variables
  readonly environment: Environment
  readonly readFile: (path: string) => string
}

interface Read extends ParsedSource {
  /** Names of the variables that the files refer to. */
  readonly references: ReadonlySet<string>
}

const DEFAULT_FILE = 'config/config.yaml'
const NOTHING: ParsedSource = { source: NO_FILE, issues: [], warnings: [] }

/**
 * Reads the configuration file, the file that `agent.sources_path` names, and the lists that variables hold. Throws
 * config_invalid when a file cannot be read or is not YAML.
 */
export function readFiles(file: string | undefined, { env, environment, readFile }: ReadOptions): Read {
  const references = new Set<string>()
  const lookups: Lookups = {
    variable(name) {
      references.add(name)
      return Object.hasOwn(env, name) ? env[name] : undefined
    },
    file: readFile,
  }
  const chosen = file || env.CONFIG_PATH || (existsSync(DEFAULT_FILE) ? DEFAULT_FILE : undefined)
  const main = chosen === undefined ? NOTHING : readMain(chosen, lookups)
  const sources = sourcesFile(main.source, chosen, { lookups, environment })
  const complete = withLists(withSources(main, sources, lookups), environment)
  return { ...respelled(complete, environment), references }
}

function readMain(file: string, lookups: Lookups): ParsedSource {
  const main = readOne(file, lookups)
  if (isObject(main.source.value)) return main
  throw new ConfigError([{ where: file, path: [], message: 'must hold a map of keys' }])
}

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
const LIST_PATH: Path = ['agent', 'sources_path']

const LIST_FILE = 'agent_sources.yaml'

/**
 * Returns the path of the file with the list of sources: that of `agent.sources_path`, else `agent_sources.yaml` beside
 * the configuration, if it is there and the list is nowhere else. Undefined: no file.
 */
function sourcesFile(
  { value }: Source,
  main: string | undefined,
  { lookups, environment }: { readonly lookups: Lookups; readonly environment: Environment },
): string | undefined {
  if (environment.has(dotted(LIST))) return undefined
  const fromVariable = environment.get(dotted(LIST_PATH))?.text
  if (fromVariable !== undefined) return fromVariable
  const named = valueAt(value, LIST_PATH)
  if (main === undefined) return undefined
  if (typeof named === 'string' && named !== '') return besideOrHere(named, main, lookups)
  const beside = join(dirname(main), LIST_FILE)
  return hasList(value) || !isThere(beside, lookups) ? undefined : beside
}

function hasList(value: unknown): boolean {
  const inline = valueAt(value, LIST)
  return Array.isArray(inline) && inline.length > 0
}

/** Puts the list of a file at `agent.sources`. */
function withSources(main: ParsedSource, file: string | undefined, lookups: Lookups): ParsedSource {
  if (file === undefined) return main
  if (hasList(main.source.value)) return { ...main, issues: [...main.issues, twice(main.source)] }
  const other = readOne(file, lookups)
  const issues = other.issues.map((issue) => ({ ...issue, path: [...LIST, ...issue.path] }))
  return {
    source: withListOf(main.source, other.source),
    issues: [...main.issues, ...issues],
    warnings: [...main.warnings, ...other.warnings],
  }
}

function twice(source: Source): LocatedIssue {
  return {
    where: source.where(LIST_PATH),
    path: LIST_PATH,
    message: 'is set together with a list in agent.sources: keep one of the two',
  }
}

/** Returns `main` with the list of `other`, which stands alone there or under a key `sources`. */
function withListOf(main: Source, other: Source): Source {
  const root: Path = isObject(other.value) && Object.hasOwn(other.value, 'sources') ? ['sources'] : []
  return grafted(main, LIST, { ...other, value: valueAt(other.value, root) }, root)
}

/** Keys that other gateways spell otherwise, with the key that stands for each. */
const SPELLINGS: readonly (readonly [theirs: Path, ours: string])[] = [
  [['alert', 'msgapp', 'bot_token'], 'token'],
  [['alert', 'msgapp', 'chat_id'], 'channel_id'],
  [['alert', 'messenger', 'bot_token'], 'token'],
  [['alert', 'messenger', 'api_type'], 'mode'],
  [['alert', 'officechat', 'power_automate_url'], 'flow_url'],
  [['alert', 'officechat', 'other_power_urls'], 'other_flow_urls'],
  [['storage', 'postgres', 'dsn'], 'url'],
]
const PERSON: Path = ['alert', 'messenger', 'user_id']
const MODE: Path = ['alert', 'messenger', 'mode']

/** Takes other spellings of keys as ours, each with a warning that names ours. */
function respelled(main: ParsedSource, environment: Environment): ParsedSource {
  const warnings: string[] = []
  let { source } = main
  for (const [theirs, ours] of [...SPELLINGS, ...sourceSpellings(source)]) take(theirs, ours)
  const mode = environment.get(dotted(MODE))?.text ?? valueAt(source.value, MODE)
  if (mode === 'bot' && !isEmpty(valueAt(source.value, PERSON))) take(PERSON, 'channel_id', true)
  else drop(PERSON, 'has no effect: it counts with "mode: bot", as "channel_id"')
  drop(
    ['oncall', 'initialized_only'],
    'is not needed: with "enable: false", ?oncall_enable=true pages for one incident',
  )
  return { ...main, source, warnings: [...main.warnings, ...warnings] }

  function take(theirs: Path, name: string, comesFirst = false): void {
    const value = valueAt(source.value, theirs)
    if (value === undefined) return
    const ours = [...theirs.slice(0, -1), name]
    if (!comesFirst && !isEmpty(valueAt(source.value, ours)))
      return drop(theirs, `has no effect: "${name}" is set as well; delete the key`)
    warnings.push(line({ where: source.where(theirs), path: theirs, message: `is taken as "${name}": rename it` }))
    source = moved(source, theirs, ours)
  }

  function drop(path: Path, message: string): void {
    const value = valueAt(source.value, path)
    if (value === undefined) return
    if (!isEmpty(value)) warnings.push(line({ where: source.where(path), path, message }))
    source = { ...source, value: removed(source.value, path) }
  }
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

function sourceSpellings({ value }: Source): [Path, string][] {
  const sources = list(valueAt(value, ['agent', 'sources']))
  return sources.map((_, at) => [['agent', 'sources', at, 'loki', 'bearer_token'], 'token'])
}

function moved(source: Source, from: Path, to: Path): Source {
  const before = (at: Path) => (dotted(at.slice(0, to.length)) === dotted(to) ? [...from, ...at.slice(to.length)] : at)
  return {
    value: placed(removed(source.value, from), to, valueAt(source.value, from)),
    where: (at) => source.where(before(at)),
    written: (at) => source.written(before(at)),
  }
}
