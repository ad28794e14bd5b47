import { CHANNEL_NAMES } from '../domain/delivery.ts'
import type { SchemaNode } from './schema-walk.ts'

/** The keys that variables set, by their dotted path. */
export type Environment = ReadonlyMap<string, { readonly variable: string; readonly text: string }>

/** Environment variables by name, such as `process.env`. */
export type Variables = { readonly [name: string]: string | undefined }

/** Variables of single keys. Variables of channels (`CHATWS_ENABLE`, ...) are made of the channels' names. */
const VARIABLES = new Map([
  ['HOST', 'host'],
  ['PORT', 'port'],
  ['GATEWAY_SECRET', 'gateway_secret'],
  ['LOG_LEVEL', 'log.level'],
  ['STORAGE_FILE_DATA_DIR', 'storage.file.data_dir'],
  ['OFFICECHAT_FLOW_URL', 'alert.officechat.flow_url'],
  ['SMTP_HOST', 'alert.email.smtp_host'],
  ['SMTP_PORT', 'alert.email.smtp_port'],
  ['SMTP_USERNAME', 'alert.email.username'],
  ['SMTP_PASSWORD', 'alert.email.password'],
  ['EMAIL_FROM', 'alert.email.from'],
  ['EMAIL_TO', 'alert.email.to'],
  ['EMAIL_SUBJECT', 'alert.email.subject'],
  ['TOPICSVC_ENABLE', 'topicsvc.enable'],
  ['TOPICSVC_TOPIC_ARN', 'topicsvc.topic_arn'],
  ['TOPICSVC_HTTPS_ENDPOINT_SUBSCRIPTION', 'topicsvc.https_endpoint_subscription'],
  ['CLOUD_ACCESS_KEY_ID', 'topicsvc.access_key_id'],
  ['CLOUD_SECRET_ACCESS_KEY', 'topicsvc.secret_access_key'],
  ['AGENT_AI_API_KEY', 'agent.ai.api_key'],
])
const CHANNEL_KEYS = ['enable', 'token', 'channel_id']
/** Prefixes of variables: the rest of the variable's name, in lower case, is a name in the map. */
const FAMILIES = new Map([['OFFICECHAT_OTHER_FLOW_URL_', 'alert.officechat.other_flow_urls']])

const GONE = new Map([
  ['AGENT_AI_BASE_URL', 'has no effect: the address of the model is fixed; unset the variable'],
  ['OFFICECHAT_WEBHOOK_URL', 'was renamed: set OFFICECHAT_FLOW_URL instead'],
])
const GONE_FAMILIES = new Map([
  ['OFFICECHAT_OTHER_WEBHOOK_URL_', 'was renamed: begin its name with OFFICECHAT_OTHER_FLOW_URL_ instead'],
])

/** Returns the variable that sets a key, for advice in messages. */
export function variableOf(path: string): string | undefined {
  for (const [variable, key] of variables()) if (key === path) return variable
  return undefined
}

/** Reads every variable that sets a key. An empty variable counts as not set. */
export function readEnvironment(env: Variables, node: SchemaNode): { set: Environment; warnings: string[] } {
  const set = new Map<string, { variable: string; text: string }>()
  const warnings: string[] = []
  for (const [variable, path] of variables()) {
    const text = env[variable]
    if (text && has(node, path.split('.'))) set.set(path, { variable, text })
    else if (text) warnings.push(`environment variable ${variable}: has no effect: there is no ${path}`)
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!text) continue
    for (const [prefix, path] of FAMILIES)
      if (extends_(variable, prefix))
        set.set(`${path}.${variable.slice(prefix.length).toLowerCase()}`, { variable, text })
    const advice = GONE.get(variable) ?? [...GONE_FAMILIES].find(([prefix]) => extends_(variable, prefix))?.[1]
    if (advice !== undefined) warnings.push(`environment variable ${variable}: ${advice}`)
  }
  return { set, warnings }
}
const extends_ = (variable: string, prefix: string) => variable.length > prefix.length && variable.startsWith(prefix)

function variables(): (readonly [variable: string, path: string])[] {
  const ofChannels = CHANNEL_NAMES.flatMap((name) =>
    CHANNEL_KEYS.map((key) => [`${name}_${key}`.toUpperCase(), `alert.${name}.${key}`] as const),
  )
  return [...VARIABLES, ...ofChannels]
}

function has(node: SchemaNode, path: readonly string[]): boolean {
  const [key, ...rest] = path
  if (key === undefined) return true
  const below = node.keys.get(key)
  return below !== undefined && has(below, rest)
}
