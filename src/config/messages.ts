import type { z } from 'zod'
import { type LocatedIssue, type Path, valueAt } from './config-error.ts'
import { variableAt } from './environment/environment.ts'
import type { Layers } from './merge.ts'
import type { SchemaNode } from './schema-walk.ts'

const TYPES = new Map([
  ['boolean', 'must be true or false'],
  ['number', 'must be a number'],
  ['int', 'must be a whole number'],
  ['string', 'must be text'],
  ['array', 'must be a list'],
  ['object', 'must be a map of keys'],
  ['record', 'must be a map of names to values'],
])

/** Returns the message of an issue whose schema has none of its own. */
export function messageOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES.get(issue.expected) ?? `must be a ${issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${measure(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${measure(issue.origin)}`
    case 'invalid_format':
      return `must be a valid ${issue.format}`
    default:
      return 'is not valid'
  }
}
function measure(origin: string): string {
  return origin === 'string' ? ' characters long' : origin === 'array' ? ' entries long' : ''
}

/** Adds the place of the value and, unless it may be secret, the value itself to an issue of zod. */
export function issueOf(issue: z.core.$ZodIssue, value: unknown, node: SchemaNode, layers: Layers): LocatedIssue {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  const where = locationOf(path, layers)
  if (issue.code === 'invalid_key') return { where, path, message: issue.issues[0]?.message ?? issue.message }
  return { where, path, message: `${issue.message}${shownValue(path, valueAt(value, path), node, layers)}` }
}

/** Returns the variable, or the file and line, that set the value at `path`. */
export function locationOf(path: Path, { environment, source }: Layers): string {
  const variable = variableAt(path, environment)
  return variable === undefined ? source.where(path) : `environment variable ${variable}`
}

function shownValue(path: Path, value: unknown, node: SchemaNode, { environment, source }: Layers): string {
  if (isSecret(node, path)) return ''
  if (value === undefined) return ' (nothing is given)'
  const written = variableAt(path, environment) !== undefined ? undefined : source.written(path)
  // The reference is shown, not its value: that may be a secret in the wrong key.
  if (written !== undefined && written.substituted !== 'no') return ` (from ${shown(written.text)})`
  if (Array.isArray(value)) return ' (got a list)'
  if (typeof value === 'object' && value !== null) return ' (got a map)'
  return ` (got ${shown(value)})`
}

/** Matches user name and password of an address. */
export const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@/i

/** Matches user name and password of an address without a scheme. */
const BARE_USERINFO = /^[^\s/?#@]*:[^\s/?#@]*@/

function shown(value: unknown): string {
  const plain = typeof value === 'string' ? value.replace(USERINFO, '$1***@').replace(BARE_USERINFO, '***@') : value
  const text = JSON.stringify(plain) ?? String(plain)
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`
}

/** Returns true when the value at the path, or a map or list around it, is marked secret. */
function isSecret(node: SchemaNode | undefined, path: Path): boolean {
  if (node === undefined) return false
  if (node.secret) return true
  const [part, ...rest] = path
  return part !== undefined && isSecret(node.keys.get(String(part)) ?? node.values, rest)
}
