import { isObject, type JsonObject } from '../text/json-object.ts'
import type { Config } from './complete.ts'
import { USERINFO } from './messages.ts'
import { SCHEMA_NODE } from './schema.ts'
import type { SchemaNode } from './schema-walk.ts'

type Change = (leaf: unknown, isSecret: boolean) => unknown

/** Returns the effective configuration with each leaf changed. */
function changed(effective: unknown, change: Change): unknown {
  return below(SCHEMA_NODE, effective, false)

  function below(node: SchemaNode | undefined, value: unknown, around: boolean): unknown {
    const secret = around || node?.secret === true
    if (Array.isArray(value)) return value.map((item) => below(node?.values, item, secret))
    if (!isObject(value)) return change(value, secret)
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, below(node?.keys.get(key) ?? node?.values, inner, secret)]),
    )
  }
}

/** Returns the effective configuration with the keys of the file, and "set" or "" for each secret. */
export function redacted({ effective }: Config): JsonObject {
  return changed(effective, (value, isSecret) => {
    if (isSecret) return value === '' || value === undefined || value === null ? '' : 'set'
    return typeof value === 'string' ? value.replace(USERINFO, '$1***@') : value
  }) as JsonObject
}

/** Returns all texts that no output may show: the secrets, and the secret parts of addresses. */
export function secretValues({ effective }: Config): string[] {
  const found = new Set<string>()
  changed(effective, (value, isSecret) => {
    const text = isSecret ? String(value ?? '') : typeof value === 'string' ? passwordIn(value) : ''
    for (const part of secretParts(text)) if (part !== '') found.add(part)
  })
  return [...found]
}

function passwordIn(url: string): string {
  if (!USERINFO.test(url) || !URL.canParse(url)) return ''
  return new URL(url).password
}

const LONG_SEGMENT = 16
const LONG_PARAMETER = 12

const POSTGRES_PASSWORD = /^postgres(?:ql)?:\/\/[^/?#@:]*:([^/?#@]*)@/i

/** Returns the password of a database as it is written and as it is sent. Several hosts are no URL. */
function databasePassword(url: string): string[] {
  const written = POSTGRES_PASSWORD.exec(url)?.[1]
  if (written === undefined) return []
  return [written, decoded(written)]
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

/**
 * Returns a secret and, if it is an address, those of its parts that are secret alone: an error of the provider may
 * quote only the path or one parameter.
 */
function secretParts(secret: string): string[] {
  if (!/^https?:\/\//i.test(secret) || !URL.canParse(secret)) return [secret, ...databasePassword(secret)]
  const { pathname, search, searchParams, password } = new URL(secret)
  const segments = pathname.split('/').filter((segment) => segment.length >= LONG_SEGMENT)
  const parameters = [...searchParams.values()].filter((value) => value.length >= LONG_PARAMETER)
  const rest = pathname + search
  return [secret, password, ...(rest.length >= LONG_PARAMETER ? [rest] : []), ...segments, ...parameters]
}
