import { dotted, line, type Path } from './fault.ts'
import { isRecord } from './merge.ts'
import type { Shape } from './schema-walk.ts'
import type { Source } from './source.ts'
import { closest } from './suggest.ts'

/** Keys of earlier versions, and what to do about each. */
const GONE = new Map([
  ['alert.officechat.webhook_url', 'was renamed: put its value under "flow_url"'],
  ['alert.officechat.other_webhook_url', 'was renamed: put its values under "other_flow_urls"'],
  ['alert.officechat.other_webhook_urls', 'was renamed: put its values under "other_flow_urls"'],
  ['agent.ai.base_url', 'was removed and has no effect: the address of the model is fixed; delete the key'],
])

/** One warning for every key of the file that the shape does not know; such a key has no effect. */
export function unknownKeys(shape: Shape, source: Source): string[] {
  return [...below(shape, source.value, [])].map(({ path, says }) => line({ where: source.where(path), path, says }))
}

function* below(shape: Shape, value: unknown, path: Path): Generator<{ path: Path; says: string }> {
  if (shape.kind === 'list' && Array.isArray(value) && shape.values !== undefined)
    for (const [at, item] of value.entries()) yield* below(shape.values, item, [...path, at])
  if (shape.kind !== 'map' || !isRecord(value)) return
  for (const [key, inner] of Object.entries(value)) {
    const known = shape.keys.get(key)
    const here = [...path, key]
    if (known !== undefined) yield* below(known, inner, here)
    else yield { path: here, says: GONE.get(dotted(here)) ?? guess(key, [...shape.keys.keys()]) }
  }
}

function guess(key: string, known: readonly string[]): string {
  const nearest = closest(key, known)
  return `${JSON.stringify(key)} is not known${nearest === undefined ? ' and has no effect' : `; did you mean "${nearest}"?`}`
}
