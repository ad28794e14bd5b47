import { z } from 'zod'

/** What the walks over a configuration must know of a zod schema. */
export interface SchemaNode {
  readonly kind: 'map' | 'names' | 'list' | 'leaf'
  /** Of a map: its known keys. */
  readonly keys: ReadonlyMap<string, SchemaNode>
  /** Of a map with names of the user's choice, and of a list: every value. */
  readonly values?: SchemaNode
  /** Of a leaf: the types it takes. */
  readonly wants: readonly ('boolean' | 'number' | 'string')[]
  readonly fallback: unknown
  readonly secret: boolean
  /** May be absent as a whole. */
  readonly optional: boolean
}

const LEAF: SchemaNode = {
  kind: 'leaf',
  keys: new Map(),
  wants: [],
  fallback: undefined,
  secret: false,
  optional: false,
}

/** Reads the input side of a schema; `.meta({ secret: true })` marks a value, or every value below it, as secret. */
export function walkSchema(schema: z.core.$ZodType): SchemaNode {
  const node = structure(schema)
  return z.globalRegistry.get(schema)?.secret === true ? { ...node, secret: true } : node
}

function structure(schema: z.core.$ZodType): SchemaNode {
  if (schema instanceof z.ZodObject) return { ...LEAF, kind: 'map', keys: keysOf(schema) }
  if (schema instanceof z.ZodIntersection) return both(walkSchema(schema.def.left), walkSchema(schema.def.right))
  if (schema instanceof z.ZodRecord) return { ...LEAF, kind: 'names', values: walkSchema(schema.def.valueType) }
  if (schema instanceof z.ZodArray) return { ...LEAF, kind: 'list', values: walkSchema(schema.def.element) }
  if (schema instanceof z.ZodPipe) return walkSchema(schema.def.in)
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return { ...walkSchema(schema.def.innerType), fallback: schema.def.defaultValue }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return { ...walkSchema(schema.def.innerType), optional: true }
  if (schema instanceof z.ZodUnion)
    return { ...LEAF, wants: schema.def.options.flatMap((one) => walkSchema(one).wants) }
  return { ...LEAF, wants: wantsOf(schema) }
}

function keysOf(schema: z.ZodObject): Map<string, SchemaNode> {
  return new Map(Object.entries(schema.shape).map(([key, value]) => [key, walkSchema(value)]))
}

function both(left: SchemaNode, right: SchemaNode): SchemaNode {
  return { ...left, keys: new Map([...left.keys, ...right.keys]) }
}

function wantsOf(schema: z.core.$ZodType): SchemaNode['wants'] {
  if (schema instanceof z.ZodBoolean) return ['boolean']
  if (schema instanceof z.ZodNumber) return ['number']
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) return ['string']
  return []
}
