import { isObject } from '../text/json-object.ts'
import type { Config } from './complete.ts'
import { completed } from './complete.ts'
import { ConfigError, dotted, type LocatedIssue, line } from './config-error.ts'
import { issuesAcross } from './cross-checks.ts'
import { readEnvironment, type Variables, variableNames, variablePrefixes } from './environment/environment.ts'
import { unusedVariables } from './environment/unused-variables.ts'
import { readFiles } from './files/files.ts'
import { type Issue, list } from './issue.ts'
import { type Layers, merge, type Origin } from './merge.ts'
import { issueOf, locationOf, messageOf, valueAt } from './messages.ts'
import { routeWarnings } from './route-checks.ts'
import { SCHEMA } from './schema.ts'
import { walkSchema } from './schema-walk.ts'
import { unknownKeys } from './unknown.ts'
import { warningsAcross } from './warnings.ts'

export interface Loaded {
  readonly config: Config
  /** One sentence each, with file and line or the variable. They hold no secret. */
  readonly warnings: readonly string[]
  /** Origin of every value, by its dotted path. */
  readonly origins: ReadonlyMap<string, Origin>
}

interface LoadOptions {
  /** Undefined: the file that CONFIG_PATH names, else config/config.yaml if it exists, else the defaults alone. */
  readonly file?: string | undefined
  readonly env: Variables
  /** Reads a text file, or throws. Tests replace it. */
  readonly readFile?: (path: string) => string
}

/**
 * Loads the configuration in fixed steps: read the files, replace references, override from the environment, validate.
 * Throws config_invalid, one `ConfigError` with all errors.
 */
export function loadConfig({ file, ...options }: LoadOptions): Loaded {
  const node = walkSchema(SCHEMA)
  const names = variableNames(node)
  const environment = readEnvironment(options.env, names)
  const read = readFiles(file, { ...options, environment: environment.set })
  const layers: Layers = { source: read.source, environment: environment.set, origins: new Map() }
  const { input, effective } = merge(node, read.source.value, [], layers)
  const parsed = SCHEMA.safeParse(input, { error: messageOf })
  const wrong = parsed.error?.issues.map((issue) => issueOf(issue, effective, node, layers)) ?? []
  const crossIssues = [...prototypes(layers), ...issuesAcross(effective)].map((issue) => ({
    ...issue,
    where: locationOf(issue.path, layers),
  }))
  const issues = firstOfEach([...read.issues, ...wrong, ...crossIssues])
  const allowed = list(valueAt(effective, ['templates', 'env_allow'])).map(String)
  const variables = [...environment.set.values()].map(({ variable }) => variable)
  const used = new Set([...variables, ...read.references, ...allowed])
  const unused = [
    ...read.warnings,
    ...unknownKeys(node, read.source),
    ...environment.warnings,
    ...unusedVariables(options.env, { names, prefixes: variablePrefixes(node), used }),
  ]
  if (!parsed.success || issues.length > 0) throw new ConfigError(issues, unused)
  const sections = completed(parsed.data, layers)
  const across = warningsAcross(effective).map((warning) => ({ ...warning, where: locationOf(warning.path, layers) }))
  const crossWarnings = [...across, ...routeWarnings(sections)].map(line)
  return {
    config: { ...sections, effective: isObject(effective) ? effective : {} },
    warnings: [...unused, ...crossWarnings],
    origins: layers.origins,
  }
}

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
