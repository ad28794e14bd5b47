import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type { EffectiveConfig } from '../api/config.ts'
import { isObject } from '../text/json-object.ts'
import { issuesAcross } from './checks/cross-checks.ts'
import { escalationWarnings } from './checks/escalation-checks.ts'
import { routeWarnings, silenceWarnings } from './checks/route-checks.ts'
import { offPart, pathBefore, without } from './checks/switched-off.ts'
import { warningsAcross } from './checks/warnings.ts'
import { type Config, completed } from './complete.ts'
import {
  ConfigError,
  dotted,
  getter,
  type Issue,
  type LocatedIssue,
  type Lookup,
  line,
  list,
  type Path,
  valueAt,
} from './config-error.ts'
import {
  readEnvironment,
  unusedVariables,
  type Variables,
  variableNames,
  variablePrefixes,
} from './environment/environment.ts'
import { readFiles } from './files/files.ts'
import { type ProposedText, withProposed } from './files/proposed.ts'
import { type Layers, merge, type Origin } from './merge.ts'
import { issueOf, locationOf, messageOf } from './messages.ts'
import { SCHEMA, SCHEMA_NODE, type Sections } from './schema.ts'
import { redacted } from './secrets.ts'
import { unknownKeys } from './unknown.ts'

const NAMES = variableNames(SCHEMA_NODE)
const PREFIXES = variablePrefixes(SCHEMA_NODE)

export interface Loaded {
  readonly config: Config
  /** One sentence each, with file and line or the variable. They hold no secret. */
  readonly warnings: readonly string[]
  /** Origin of every value, by its dotted path. */
  readonly origins: ReadonlyMap<string, Origin>
  /** Loads the same texts again with other sections. Throws like `loadConfig`. */
  propose(sections: ProposedText): Omit<Loaded, 'propose'>
}

interface LoadOptions {
  /** Undefined: the file that CONFIG_PATH names, else config/config.yaml if it exists, else the defaults alone. */
  readonly file?: string | undefined
  readonly env: Variables
  /** Reads a text file, or throws. Tests replace it. */
  readonly readFile?: (path: string) => string
}

/**
 * Loads the configuration. What is proposed later goes with the texts that were read now. Throws config_invalid, one
 * `ConfigError` with all errors.
 */
export function loadConfig({ readFile = readText, env, ...options }: LoadOptions): Loaded {
  const texts = new Map<string, string>()
  const variables = { ...env }
  const loaded = load({ ...options, env, readFile: (path) => remember(texts, path, readFile(path)) })
  const known = (path: string) => texts.get(path) ?? readFile(path)
  return { ...loaded, propose: (proposed) => load({ ...options, env: variables, readFile: known, proposed }) }
}

const readText = (path: string) => readFileSync(path, 'utf8')

function remember(texts: Map<string, string>, path: string, text: string): string {
  texts.set(path, text)
  return text
}

interface Loading extends LoadOptions {
  readonly readFile: (path: string) => string
  readonly proposed?: ProposedText
}

/**
 * Loads the configuration in fixed steps: read the files, replace references, override from the environment, validate.
 * Throws config_invalid, one `ConfigError` with all errors.
 */
function load({ file, proposed, ...options }: Loading): Omit<Loaded, 'propose'> {
  const environment = readEnvironment(options.env, NAMES)
  const inForce = readFiles(file, { ...options, environment: environment.set })
  const read = { ...inForce, ...(proposed && withProposed(inForce, proposed)) }
  const layers: Layers = { source: read.source, environment: environment.set, origins: new Map() }
  const { input, effective } = merge(SCHEMA_NODE, read.source.value, [], layers)
  const checked = validate(input, effective)
  const located = (issue: z.core.$ZodIssue) => issueOf(issue, effective, SCHEMA_NODE, layers)
  const placed = (issue: Issue) => ({ ...issue, where: locationOf(issue.path, layers) })
  const across = issuesAcross(effective).map(placed)
  const get = getter(effective)
  const counts = ({ path }: Issue) => offPart(path, get) === undefined
  const wrong = [...checked.issues.map(located), ...prototypes(layers).map(placed), ...across.filter(counts)]
  const issues = firstOfEach([...read.issues, ...wrong])
  const ignored = firstOfEach([...checked.ignored.map(located), ...across.filter((issue) => !counts(issue))])
  const allowed = list(valueAt(effective, ['templates', 'env_allow'])).map(String)
  const variables = [...environment.set.values()].map(({ variable }) => variable)
  const used = new Set([...variables, ...read.references, ...allowed])
  const unused = [
    ...read.warnings,
    ...unknownKeys(SCHEMA_NODE, read.source),
    ...environment.warnings,
    ...ignored.map((issue) => line({ ...issue, message: whileOff(issue, get) })),
    ...unusedVariables(options.env, { names: NAMES, prefixes: PREFIXES, used }),
  ]
  if (checked.sections === undefined || issues.length > 0) throw new ConfigError(issues, unused)
  const sections = completed(checked.sections, layers)
  const doubts = [...warningsAcross(effective), ...escalationWarnings(sections)].map(placed)
  const crossWarnings = [...doubts, ...routeWarnings(sections), ...silenceWarnings(sections.silences, Date.now())].map(
    line,
  )
  const shown = without(effective, checked.left)
  return {
    config: { ...sections, effective: isObject(shown) ? shown : {} },
    warnings: [...unused, ...crossWarnings],
    origins: layers.origins,
  }
}

const whileOff = ({ path, message }: Issue, get: Lookup) =>
  `${message}; this is only a warning and the value has no effect, because ${offPart(path, get)?.because}`

/** Returns an issue for each name `__proto__`, which zod would drop silently. */
function prototypes({ origins }: Layers): Issue[] {
  const named = [...origins.keys()].filter((path) => path.endsWith('.__proto__'))
  return named.map((path) => ({ path: path.split('.'), message: 'cannot be used as a name' }))
}

/** Keeps the first issue of each path, because the others follow from it; sorts by line. */
function firstOfEach(issues: readonly LocatedIssue[]): LocatedIssue[] {
  const byPath = new Map<string, LocatedIssue>()
  for (const issue of issues) if (!byPath.has(dotted(issue.path))) byPath.set(dotted(issue.path), issue)
  return [...byPath.values()].sort((a, b) => lineNumber(a) - lineNumber(b))
}
/** Returns the line of `config.yaml:6` or `config.yaml:6:12`; infinity without a file, so that these come last. */
function lineNumber({ where }: LocatedIssue): number {
  return Number(/:(\d+)(?::\d+)?$/.exec(where)?.[1] ?? Number.POSITIVE_INFINITY)
}

/** Returns the configuration as operators see it, without secrets. */
export function reportOf({ config, origins, warnings }: Loaded): EffectiveConfig {
  return { config: redacted(config), origins: Object.fromEntries(origins), warnings }
}

interface Validated {
  /** Absent when there are issues. */
  readonly sections?: Sections
  readonly issues: readonly z.core.$ZodIssue[]
  /** Issues of parts that are switched off. */
  readonly ignored: readonly z.core.$ZodIssue[]
  /** Dotted paths of these parts. They have their defaults, and entries of lists are left out. */
  readonly left: ReadonlySet<string>
}

/** Validates the merged configuration. An issue in a part that is switched off does not count. */
function validate(input: unknown, effective: unknown): Validated {
  const get = getter(effective)
  const left = new Set<string>()
  const ignored: z.core.$ZodIssue[] = []
  for (;;) {
    const parsed = SCHEMA.safeParse(without(input, left), { error: messageOf })
    if (parsed.success) return { sections: parsed.data, issues: [], ignored, left }
    const found = parsed.error.issues.map((issue) => ({ ...issue, path: [...pathBefore(pathOf(issue), left)] }))
    const parts = found.map((issue) => ({ issue, part: offPart(issue.path, get)?.path }))
    // A part that was left out already is wrong without its value too, so the issue counts.
    const isLeft = (part: Path | undefined) => part === undefined || left.has(dotted(part))
    const counting = parts.filter(({ part }) => isLeft(part)).map(({ issue }) => issue)
    ignored.push(...parts.filter(({ part }) => !isLeft(part)).map(({ issue }) => issue))
    if (counting.length > 0) return { issues: counting, ignored, left }
    for (const { part } of parts) if (part !== undefined) left.add(dotted(part))
  }
}

/** Returns the keys and indexes of an issue. */
const pathOf = ({ path }: z.core.$ZodIssue): Path =>
  path.map((part) => (typeof part === 'number' ? part : String(part)))
