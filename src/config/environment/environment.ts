import { CHANNEL_NAMES } from '../../domain/delivery/delivery.ts'
import { dotted, type Path } from '../config-error.ts'
import type { SchemaNode } from '../schema-walk.ts'
import { suggest } from '../suggest.ts'

/** The keys that variables set, by their dotted path. */
export type Environment = ReadonlyMap<string, Setting>

interface Setting extends Key {
  readonly variable: string
  readonly text: string
}

/** Environment variables by name, such as `process.env`. */
export type Variables = { readonly [name: string]: string | undefined }

interface Key {
  readonly path: Path
  /** The schema of the key: a leaf, or a list, which the text of the variable gives as YAML. */
  readonly node: SchemaNode
}

/** All variables that set a key of a schema. */
interface VariableNames {
  readonly keys: ReadonlyMap<string, Key>
  /** Prefixes: the rest of the variable's name, in lower case, is a name in the map at `path`. */
  readonly maps: ReadonlyMap<string, Key>
}

/** Names besides those that the rule makes. */
const OTHER_NAMES = new Map([
  ['alert.email.smtp_host', 'SMTP_HOST'],
  ['alert.email.smtp_port', 'SMTP_PORT'],
  ['alert.email.username', 'SMTP_USERNAME'],
  ['alert.email.password', 'SMTP_PASSWORD'],
  ['topicsvc.access_key_id', 'CLOUD_ACCESS_KEY_ID'],
  ['topicsvc.secret_access_key', 'CLOUD_SECRET_ACCESS_KEY'],
])
/** Beginnings of these names. `CLOUD_` alone begins variables of many other programs. */
const OTHER_PREFIXES = ['SMTP_', 'CLOUD_ACCESS_', 'CLOUD_SECRET_']
/** Names of other gateways, each with the key that it sets. */
const SPELLED = new Map([
  ['MSGAPP_BOT_TOKEN', 'alert.msgapp.token'],
  ['MSGAPP_CHAT_ID', 'alert.msgapp.channel_id'],
  ['MESSENGER_BOT_TOKEN', 'alert.messenger.token'],
  ['MESSENGER_API_TYPE', 'alert.messenger.mode'],
])
/** Prefixes that may stand for the beginning of a path. */
const SHORT = [
  ['oncall.pagerduty.', 'PAGERDUTY_'],
  ['oncall.incident_io.', 'INCIDENT_IO_'],
  ['oncall.incident_io.', 'INCIDENTIO_'],
  ['oncall.aws_incident_manager.', 'AWS_INCIDENT_MANAGER_'],
  ['oncall.servicenow.', 'SERVICENOW_'],
] as const

/** Returns the variable that sets a key, for advice in messages. */
export const variableOf = (path: string): string => OTHER_NAMES.get(path) ?? ruleName(path)

/** Applies the rule: the path in upper case, `_` between its parts, without `alert` in front. */
const ruleName = (path: string) =>
  path
    .replace(/^alert\./, '')
    .replaceAll('.', '_')
    .toUpperCase()

/** Returns the names of a key; the first counts when several are set. */
function namesOf(path: string): string[] {
  const other = OTHER_NAMES.get(path)
  const short = SHORT.filter(([start]) => path.startsWith(start))
  return [
    ruleName(path),
    ...(other === undefined ? [] : [other]),
    ...[...SPELLED].filter(([, key]) => key === path).map(([name]) => name),
    ...short.map(([start, prefix]) => prefix + ruleName(path.slice(start.length))),
  ]
}

export function variableNames(root: SchemaNode): VariableNames {
  const keys = new Map<string, Key>()
  const maps = new Map<string, Key>()
  for (const key of settable(root, [])) {
    const { values } = key.node
    for (const name of namesOf(dotted(key.path)))
      if (key.node.kind !== 'names') keys.set(name, key)
      else if (values !== undefined)
        for (const prefix of new Set([`${name}_`, `${name.replace(/S$/, '')}_`]))
          maps.set(prefix, { path: key.path, node: values })
  }
  return { keys, maps }
}

function* settable(node: SchemaNode, path: Path): Generator<Key> {
  if (node.kind !== 'map') yield { path, node }
  for (const [key, below] of node.keys) yield* settable(below, [...path, key])
}

const KUBERNETES_ADDRESS = /^(?:tcp|udp|sctp):\/\//

/** Reads every variable that sets a key. An empty variable counts as not set. */
export function readEnvironment(env: Variables, names: VariableNames): { set: Environment; warnings: string[] } {
  const set = new Map<string, Setting>()
  const warnings: string[] = []
  for (const [variable, key] of [...names.keys, ...namedEntries(env, names.maps)]) {
    const text = env[variable]
    if (!text) continue
    const path = dotted(key.path)
    const other = set.get(path)?.variable
    if (KUBERNETES_ADDRESS.test(text) && variable.endsWith('PORT'))
      warnings.push(
        about(variable, 'has no effect: Kubernetes set it for a service of that name; set enableServiceLinks: false'),
      )
    else if (other !== undefined) warnings.push(about(variable, `has no effect: ${other} sets ${path} already`))
    else {
      set.set(path, { ...key, variable, text })
      if (SPELLED.has(variable)) warnings.push(about(variable, `is taken as ${variableOf(path)}: rename it`))
    }
  }
  return { set, warnings }
}

const about = (variable: string, message: string) => `environment variable ${variable}: ${message}`

/** Yields the variables whose name ends with a name that the operator chose. */
function* namedEntries(env: Variables, maps: VariableNames['maps']): Generator<[string, Key]> {
  for (const variable of Object.keys(env).sort())
    for (const [prefix, { path, node }] of maps)
      if (extendsName(variable, prefix))
        yield [variable, { path: [...path, variable.slice(prefix.length).toLowerCase()], node }]
}

const extendsName = (variable: string, prefix: string) => variable.length > prefix.length && variable.startsWith(prefix)

/** Returns the variable that sets the value at a path, or a list around it. */
export function variableAt(path: Path, environment: Environment): string | undefined {
  for (let end = path.length; end > 0; end--) {
    const set = environment.get(dotted(path.slice(0, end)))
    if (set !== undefined) return set.variable
  }
  return undefined
}

/** Variables of earlier versions, and what to do about each. */
const GONE_VARIABLES: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^AGENT_AI_BASE_URL$/, 'has no effect: the address of the model is fixed; unset the variable'],
  [/^OFFICECHAT_WEBHOOK_URL$/, 'was renamed: set OFFICECHAT_FLOW_URL instead'],
  [/^OFFICECHAT_OTHER_WEBHOOK_URL_./, 'was renamed: begin its name with OFFICECHAT_OTHER_FLOW_URL_ instead'],
]

/** Returns the beginnings of the names of all variables: those of sections and channels, and the short ones. */
export function variablePrefixes(root: SchemaNode): string[] {
  const sections = [...root.keys].filter(([, { kind }]) => kind === 'map' || kind === 'names').map(([key]) => key)
  const named = [...sections, ...CHANNEL_NAMES].map((name) => `${name.toUpperCase()}_`)
  return [...named, ...SHORT.map(([, prefix]) => prefix), ...OTHER_PREFIXES]
}

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
