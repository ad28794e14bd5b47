import type { JsonSchema } from '../../src/http/openapi/json-schemas.ts'

/** A field of a JSON object as documentation shows it. */
export interface FieldRow {
  /** From the top of the body: `channels[].rate.burst`; `*` stands for the keys of a map. */
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly meaning: string
}

/**
 * Returns the fields of an object at every depth. References are not followed: their type is a link to the resource.
 */
export function fieldRows(schema: JsonSchema, above = ''): FieldRow[] {
  const { properties, required = [], items, anyOf, additionalProperties } = schema
  if (anyOf) return distinct(anyOf.flatMap((option) => fieldRows(option, above)))
  if (items) return fieldRows(items, `${above}[]`)
  if (typeof additionalProperties === 'object' && !properties) return fieldRows(additionalProperties, `${above}.*`)
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const path = above === '' ? name : `${above}.${name}`
    const { description = '' } = field
    return [
      { path, type: typeText(field), required: required.includes(name), meaning: description },
      ...fieldRows(field, path),
    ]
  })
}

/** Options of a union share fields; equal rows are shown once. */
function distinct(rows: readonly FieldRow[]): FieldRow[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

const MAX_SHALLOW_FIELDS = 4

/** `{ ok: true, cleared: integer }`; undefined for objects with many, nested or explained fields. */
export function shallowText(schema: JsonSchema): string | undefined {
  const options = (schema.anyOf ?? [schema]).map(shallowObject)
  return options.includes(undefined) ? undefined : options.join(' or ')
}

function shallowObject({ properties, required = [] }: JsonSchema): string | undefined {
  const fields = Object.entries(properties ?? {})
  const isShallow = fields.every(([, field]) => field.description === undefined && fieldRows(field).length === 0)
  if (fields.length === 0 || fields.length > MAX_SHALLOW_FIELDS || !isShallow) return undefined
  const types = fields.map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(field)}`)
  const text = `{ ${types.join(', ')} }`
  return text.includes('](') ? text : `\`${text.replaceAll('`', '')}\``
}

/** The type in words: `integer, 1 to 500, default 50`, `list of [Attempt](#attempt)`, `string or null`. */
export function typeText(schema: JsonSchema): string {
  const { $ref, type, const: constant, enum: values, anyOf, items, additionalProperties, format } = schema
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`
  if (constant !== undefined) return valueText(constant)
  if (values) return values.map(valueText).join(', ')
  if (anyOf) return [...new Set(anyOf.map(typeText))].join(' or ')
  if (items) return `list of ${typeText(items)}`
  if (format === 'date-time') return Array.isArray(type) ? 'time or null' : 'time'
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
    return `map of ${typeText(additionalProperties)}`
  return [[type ?? 'any JSON'].flat().join(' or '), ...boundTexts(schema)].join(', ')
}

const valueText = (value: unknown) => `\`${JSON.stringify(value)}\``

function boundTexts({ minimum, maximum, minLength, maxLength, default: initial }: JsonSchema): string[] {
  return [
    ...(maximum === undefined ? [] : [`${minimum ?? 0} to ${maximum}`]),
    ...(maximum === undefined && minimum ? [`at least ${minimum}`] : []),
    ...(maxLength === undefined
      ? []
      : [`${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`]),
    ...(maxLength === undefined && minLength ? [`at least ${minLength} characters`] : []),
    ...(initial === undefined ? [] : [`default ${JSON.stringify(initial)}`]),
  ]
}
