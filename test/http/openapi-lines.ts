import type { JsonSchema, MediaTypes, OpenApiDocument, OperationObject } from '../../src/http/openapi/specification.ts'

type Schemas = OpenApiDocument['components']['schemas']

/**
 * Returns the contract of a document as sorted lines: one per route, parameter, status, media type and field.
 * References are resolved and descriptions left out, so that renaming a component or rewording a sentence changes no
 * line.
 */
export function linesOf({ paths, components }: OpenApiDocument): string[] {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operationLines(operation, components.schemas).map((line) => `${method.toUpperCase()} ${path} ${line}`),
    ),
  )
  return [...new Set(lines)].sort()
}

function operationLines({ parameters, requestBody, responses, security }: OperationObject, schemas: Schemas): string[] {
  return [
    security.length === 0 ? 'public' : 'gated',
    ...parameters.map(
      ({ in: place, name, required, schema }) =>
        `${place} ${name} ${required ? 'required' : 'optional'}: ${typeOf(schema, schemas)}`,
    ),
    ...(requestBody ? contentLines('body', requestBody.content, schemas) : []),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      content ? contentLines(status, content, schemas) : [`${status} without content`],
    ),
  ]
}

function contentLines(place: string, content: MediaTypes, schemas: Schemas): string[] {
  return Object.entries(content).flatMap(([mediaType, { schema }]) => [
    `${place} ${mediaType}: ${typeOf(schema, schemas)}`,
    ...fieldLines(schema, '', schemas).map((line) => `${place} ${mediaType} ${line}`),
  ])
}

/** A line per field at any depth: `.incidents[].title required: string`. */
function fieldLines(schema: JsonSchema, path: string, schemas: Schemas): string[] {
  const { anyOf = [], items, properties = {}, required = [], additionalProperties } = resolved(schema, schemas)
  return [
    ...anyOf.flatMap((option) => fieldLines(option, path, schemas)),
    ...(items ? fieldLines(items, `${path}[]`, schemas) : []),
    ...(typeof additionalProperties === 'object' ? fieldLines(additionalProperties, `${path}{}`, schemas) : []),
    ...Object.entries(properties).flatMap(([name, field]) => [
      `${path}.${name} ${required.includes(name) ? 'required' : 'optional'}: ${typeOf(field, schemas)}`,
      ...fieldLines(field, `${path}.${name}`, schemas),
    ]),
  ]
}

/** `integer minimum 0 | null`, `list of string`, `map of number`, `one of "end" "restart"`. */
function typeOf(schema: JsonSchema, schemas: Schemas): string {
  const { type, const: constant, enum: values, anyOf, items, additionalProperties, ...rest } = resolved(schema, schemas)
  if (anyOf) return anyOf.map((option) => typeOf(option, schemas)).join(' | ')
  if (constant !== undefined) return `only ${JSON.stringify(constant)}`
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(' ')}`
  if (items) return `list of ${typeOf(items, schemas)}`
  if (isEmpty(additionalProperties)) return 'object with further fields'
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties, schemas)}`
  const bounds = BOUNDS.filter((keyword) => rest[keyword] !== undefined).map(
    (keyword) => ` ${keyword} ${rest[keyword]}`,
  )
  return [type ?? 'anything']
    .flat()
    .map((each) => each + (each === 'null' ? '' : bounds.join('')))
    .join(' | ')
}

const BOUNDS = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'default'] as const

const isEmpty = (value: JsonSchema['additionalProperties']) =>
  value === true || (typeof value === 'object' && Object.keys(value).length === 0)

function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return schema
  const target = schemas[name]
  if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`)
  return resolved(target, schemas)
}
