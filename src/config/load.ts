import { isObject } from '../text/json-object.ts'
import { issuesAcross } from './cross-checks.ts'
import { readEnvironment, type Variables } from './environment.ts'
import { ConfigError, dotted, type Fault, line } from './fault.ts'
import { readFiles } from './files.ts'
import type { Issue } from './issue.ts'
import { type Layers, merge, type Origin } from './merge.ts'
import { faultOf, locationOf, messageOf } from './messages.ts'
import { type Config, SCHEMA } from './schema.ts'
import { walkSchema } from './schema-walk.ts'
import { unknownKeys } from './unknown.ts'
import { warningsAcross } from './warnings.ts'

export interface Loaded {
  readonly config: Config
  /** One sentence each, with the file and line or the variable it is about; nothing in them is secret. */
  readonly warnings: readonly string[]
  /** Dotted path of every leaf, to where its value comes from. */
  readonly origins: ReadonlyMap<string, Origin>
}

interface LoadOptions {
  /** Without one: CONFIG_PATH, then config/config.yaml when it exists, then the defaults alone. */
  readonly file?: string | undefined
  readonly env: Variables
  /** Reads a text file or throws; for tests. */
  readonly readFile?: (path: string) => string
}

/** Reads, substitutes, overrides and validates. Throws one `ConfigError` with every fault there is. */
export function loadConfig({ file, ...options }: LoadOptions): Loaded {
  const node = walkSchema(SCHEMA)
  const read = readFiles(file, options)
  const environment = readEnvironment(options.env, node)
  const layers: Layers = { source: read.source, environment: environment.set, origins: new Map() }
  const { input, effective } = merge(node, read.source.value, [], layers)
  const parsed = SCHEMA.safeParse(input, { error: messageOf })
  const wrong = parsed.error?.issues.map((issue) => faultOf(issue, effective, node, layers)) ?? []
  const crossIssues = [...prototypes(layers), ...issuesAcross(effective)].map((issue) => ({
    ...issue,
    where: locationOf(issue.path, layers),
  }))
  const faults = firstOfEach([...read.faults, ...wrong, ...crossIssues])
  const unused = [...read.warnings, ...unknownKeys(node, read.source), ...environment.warnings]
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults, unused)
  const crossWarnings = warningsAcross(effective).map((warning) =>
    line({ ...warning, where: locationOf(warning.path, layers) }),
  )
  return {
    config: { ...parsed.data, effective: isObject(effective) ? effective : {} },
    warnings: [...unused, ...crossWarnings],
    origins: layers.origins,
  }
}

/** Names that the validator drops without a word. */
function prototypes({ origins }: Layers): Issue[] {
  const named = [...origins.keys()].filter((path) => path.endsWith('.__proto__'))
  return named.map((path) => ({ path: path.split('.'), message: 'cannot be used as a name' }))
}

/** One fault a path: what is wrong with a value makes the faults that follow from it noise. */
function firstOfEach(faults: readonly Fault[]): Fault[] {
  const byPath = new Map<string, Fault>()
  for (const fault of faults) if (!byPath.has(dotted(fault.path))) byPath.set(dotted(fault.path), fault)
  return [...byPath.values()].sort((a, b) => lineNumber(a) - lineNumber(b))
}
/** Of `config.yaml:6` or `config.yaml:6:12`; what stands in no file comes last. */
function lineNumber({ where }: Fault): number {
  return Number(/:(\d+)(?::\d+)?$/.exec(where)?.[1] ?? Number.POSITIVE_INFINITY)
}
