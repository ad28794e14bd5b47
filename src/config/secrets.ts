import { isRecord } from './merge.ts'
import { USERINFO } from './messages.ts'
import { type Config, SHAPE } from './schema.ts'
import { describe, type Shape } from './schema-walk.ts'

/** The effective configuration in the file's own keys, every secret as "set" or "". */
export function redacted({ effective }: Config): unknown {
  return masked(describe(SHAPE), effective)
}

function masked(shape: Shape | undefined, value: unknown, around = false): unknown {
  const secret = around || shape?.secret === true
  const below = (key: string) => shape?.keys.get(key) ?? shape?.values
  if (Array.isArray(value)) return value.map((item) => masked(shape?.values, item, secret))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(below(key), inner, secret)]))
  if (secret) return value === '' || value === undefined || value === null ? '' : 'set'
  return typeof value === 'string' ? value.replace(USERINFO, '$1***@') : value
}

/** Every text that no output may show: the secrets themselves and, of secret addresses, the parts that make them so. */
export function secretValues({ effective }: Config): string[] {
  const found = [...secretsBelow(describe(SHAPE), effective, false)]
  return [...new Set(found.flatMap(telling))].filter((text) => text !== '')
}

function* secretsBelow(shape: Shape | undefined, value: unknown, around: boolean): Generator<string> {
  const secret = around || shape?.secret === true
  if (Array.isArray(value)) for (const item of value) yield* secretsBelow(shape?.values, item, secret)
  else if (isRecord(value))
    for (const [key, inner] of Object.entries(value))
      yield* secretsBelow(shape?.keys.get(key) ?? shape?.values, inner, secret)
  else if (secret) yield String(value ?? '')
  else if (typeof value === 'string') yield passwordIn(value)
}

function passwordIn(url: string): string {
  if (!USERINFO.test(url) || !URL.canParse(url)) return ''
  return new URL(url).password
}

const LONG_SEGMENT = 16
const LONG_PARAMETER = 12

/** A provider's error may quote only the path or one parameter of a secret address. */
function telling(secret: string): string[] {
  if (!/^https?:\/\//i.test(secret) || !URL.canParse(secret)) return [secret]
  const { pathname, search, searchParams, password } = new URL(secret)
  const segments = pathname.split('/').filter((segment) => segment.length >= LONG_SEGMENT)
  const parameters = [...searchParams.values()].filter((value) => value.length >= LONG_PARAMETER)
  const rest = pathname + search
  return [secret, password, ...(rest.length >= LONG_PARAMETER ? [rest] : []), ...segments, ...parameters]
}
