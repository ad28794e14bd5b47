import { isObject } from '../text/json-object.ts'
import { dotted, line, type Path } from './config-error.ts'
import type { Source } from './files/source.ts'
import type { SchemaNode } from './schema-walk.ts'
import { suggest } from './suggest.ts'

/** Keys of earlier versions, and what to do about each. */
const GONE = new Map([
  ['alert.officechat.webhook_url', 'was renamed: put its value under "flow_url"'],
  ['alert.officechat.other_webhook_url', 'was renamed: put its values under "other_flow_urls"'],
  ['alert.officechat.other_webhook_urls', 'was renamed: put its values under "other_flow_urls"'],
  ['agent.ai.base_url', 'was removed and has no effect: the address of the model is fixed; delete the key'],
])

/** Returns one warning for each key of the file that the schema does not know; such a key has no effect. */
export function unknownKeys(node: SchemaNode, source: Source): string[] {
  return [...below(node, source.value, [])].map(({ path, message }) =>
    line({ where: source.where(path), path, message }),
  )
}

function* below(node: SchemaNode, value: unknown, path: Path): Generator<{ path: Path; message: string }> {
  if (node.kind === 'list' && Array.isArray(value) && node.values !== undefined)
    for (const [at, item] of value.entries()) yield* below(node.values, item, [...path, at])
  if (node.kind !== 'map' || !isObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    const known = node.keys.get(key)
    const here = [...path, key]
    if (known !== undefined) yield* below(known, inner, here)
    else yield { path: here, message: GONE.get(dotted(here)) ?? guess(key, [...node.keys.keys()]) }
  }
}

function guess(key: string, known: readonly string[]): string {
  const nearest = suggest(key, known)
  return `${JSON.stringify(key)} is not known${nearest === undefined ? ' and has no effect' : `; did you mean "${nearest}"?`}`
}
