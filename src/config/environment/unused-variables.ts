import { suggest } from '../suggest.ts'
import { GONE_VARIABLES, type VariableNames, type Variables } from './environment.ts'

interface Known {
  readonly names: VariableNames
  /** Beginnings of names that are ours, such as `AGENT_`. */
  readonly prefixes: readonly string[]
  /** Names of variables that set a key, and of those that the file or a template reads. */
  readonly used: ReadonlySet<string>
}

/** Variables that libraries read although they begin like a section. */
const OF_LIBRARIES = new Set(['HTTP_PROXY'])
/** Variables that Kubernetes and container links set for a service. */
const SERVICE_LINK = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/

/** Returns one warning for each variable that begins like a section of the configuration and sets nothing. */
export function unusedVariables(env: Variables, { names, prefixes, used }: Known): string[] {
  const isOurs = (variable: string) => prefixes.some((prefix) => variable.startsWith(prefix))
  const isLeftAlone = (variable: string) =>
    used.has(variable) || names.keys.has(variable) || OF_LIBRARIES.has(variable) || SERVICE_LINK.test(variable)
  return Object.keys(env)
    .filter((variable) => env[variable] && isOurs(variable) && !isLeftAlone(variable))
    .sort()
    .map((variable) => `environment variable ${variable}: ${adviceFor(variable, names)}`)
}

function adviceFor(variable: string, { keys, maps }: VariableNames): string {
  const gone = GONE_VARIABLES.find(([pattern]) => pattern.test(variable))
  if (gone !== undefined) return gone[1]
  const known = [...keys.keys(), ...[...maps.keys()].map((prefix) => `${prefix}NAME`)]
  const nearest = suggest(
    variable,
    known.map((name) => name.toLowerCase()),
  )
  return `sets nothing${nearest === undefined ? '' : `; did you mean ${nearest.toUpperCase()}?`}`
}
