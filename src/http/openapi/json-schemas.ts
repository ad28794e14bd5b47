import { z } from 'zod'

/** The keywords of JSON Schema (2020-12) that the document uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly default?: unknown
  readonly description?: string
}

interface Converted {
  /** The named schemas. */
  readonly components: { readonly [name: string]: JsonSchema }
  /** Returns the JSON Schema of one that was converted. A named schema within becomes a reference. */
  of(schema: z.ZodType): JsonSchema
}

const INLINE = 'inline'

/** Converts zod schemas: `named` ones to components, all others to schemas that refer to them. */
export function jsonSchemas(named: { readonly [name: string]: z.ZodType }, others: readonly z.ZodType[]): Converted {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  // One object holds all others, so that one conversion finds the references in all of them.
  const keys = new Map([...new Set(others)].map((schema, at) => [schema, String(at)]))
  registry.add(z.object(Object.fromEntries(Array.from(keys, ([schema, key]) => [key, schema]))), { id: INLINE })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => simplify(jsonSchema, zodSchema._zod.def.type),
  })
  const { [INLINE]: inline, ...components } = schemas
  const properties = inline?.properties as { readonly [key: string]: JsonSchema }
  return {
    components: Object.fromEntries(
      Object.entries(components).map(([name, schema]) => [name, withoutIds(schema as JsonSchema)]),
    ),
    of: (schema) => properties[keys.get(schema) ?? ''] ?? {},
  }
}

/**
 * Removes what zod adds and the document does without: a pattern for dates, the largest safe integer, keys that are
 * strings.
 */
function simplify(schema: { [keyword: string]: unknown }, type: string): void {
  if (schema.format === 'date-time') delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (type !== 'record') return
  delete schema.propertyNames
  if (Object.keys(schema.additionalProperties ?? {}).length === 0) delete schema.additionalProperties
}

function withoutIds({ $id: _id, $schema: _schema, ...schema }: JsonSchema & { $id?: string; $schema?: string }) {
  return schema
}
