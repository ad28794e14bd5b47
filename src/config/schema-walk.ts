import { z } from 'zod'

/**
 * One node of the configuration's schema, for code that walks over values. Kinds: `map` has known keys, `names` is a
 * map whose keys the operator chooses, `list`, and `leaf` is one value.
 */
export interface SchemaNode {
  readonly kind: 'map' | 'names' | 'list' | 'leaf'
  /** Keys of a `map`. */
  readonly keys: ReadonlyMap<string, SchemaNode>
  /** The schema of each value of `names` and `list`. */
  readonly values?: SchemaNode
  /** Types that a `leaf` accepts. */
  readonly wants: readonly ('boolean' | 'number' | 'string')[]
  readonly fallback: unknown
  readonly secret: boolean
  /** The whole value may be absent. */
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

/**
 * Returns the node of a schema's input side. `.meta({ secret: true })` marks a value and all values below it as secret.
 */
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
