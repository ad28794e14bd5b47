import { faultsAcross } from './cross-checks.ts'
import { readEnvironment, type Variables } from './environment.ts'
import { ConfigError, dotted, type Fault, line } from './fault.ts'
import { readFiles } from './files.ts'
import type { Finding } from './issue.ts'
import { type Given, isRecord, type Origin, settle } from './merge.ts'
import { faultOf, placeOf, sentence } from './messages.ts'
import { type Config, SHAPE } from './schema.ts'
import { describe } from './schema-walk.ts'
import { unknownKeys } from './unknown.ts'
import { doubtsAcross } from './warnings.ts'

export interface Loaded {
  readonly config: Config
  /** One sentence each, with the file and line or the variable it is about; nothing in them is secret. */
  readonly warnings: readonly string[]
  /** Dotted path of every leaf, to where its value comes from. */
  readonly origins: ReadonlyMap<string, Origin>
}

export interface LoadOptions {
  /** Without one: CONFIG_PATH, then config/config.yaml when it exists, then the defaults alone. */
  readonly file?: string | undefined
  readonly env: Variables
  /** Reads a text file or throws; for tests. */
  readonly readFile?: (path: string) => string
}

/** Reads, substitutes, overrides and validates. Throws one `ConfigError` with every fault there is. */
export function loadConfig({ file, ...options }: LoadOptions): Loaded {
  const shape = describe(SHAPE)
  const read = readFiles(file, options)
  const environment = readEnvironment(options.env, shape)
  const given: Given = { source: read.source, environment: environment.set, origins: new Map() }
  const { input, effective } = settle(shape, read.source.value, [], given)
  const parsed = SHAPE.safeParse(input, { error: sentence })
  const wrong = parsed.error?.issues.map((issue) => faultOf(issue, effective, shape, given)) ?? []
  const across = [...prototypes(given), ...faultsAcross(effective)].map((finding) => ({
    ...finding,
    where: placeOf(finding.path, given),
  }))
  const faults = firstOfEach([...read.faults, ...wrong, ...across])
  const unused = [...read.warnings, ...unknownKeys(shape, read.source), ...environment.warnings]
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults, unused)
  const doubts = doubtsAcross(effective).map((doubt) => line({ ...doubt, where: placeOf(doubt.path, given) }))
  return {
    config: { ...parsed.data, effective: isRecord(effective) ? effective : {} },
    warnings: [...unused, ...doubts],
    origins: given.origins,
  }
}

/** Names that the validator drops without a word. */
function prototypes({ origins }: Given): Finding[] {
  const named = [...origins.keys()].filter((path) => path.endsWith('.__proto__'))
  return named.map((path) => ({ path: path.split('.'), says: 'cannot be used as a name' }))
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
