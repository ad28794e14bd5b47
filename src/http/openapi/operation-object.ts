import type { z } from 'zod'
import type { JsonSchema } from './json-schemas.ts'
import { answersOf, isGated, type Operation } from './operation.ts'

export interface ParameterObject {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface MediaTypes {
  readonly [mediaType: string]: { readonly schema: JsonSchema }
}

type SchemaOf = (schema: z.ZodType) => JsonSchema

export type OperationObject = ReturnType<typeof operationObject>

/** Returns the operation in the notation of OpenAPI. */
export function operationObject(operation: Operation, schemaOf: SchemaOf) {
  const { path, tag, summary, description, query, headers, body } = operation
  const content = (schemas: { readonly [mediaType: string]: z.ZodType }): MediaTypes =>
    Object.fromEntries(Object.entries(schemas).map(([mediaType, schema]) => [mediaType, { schema: schemaOf(schema) }]))
  const responses = Object.entries(answersOf(operation)).map(([status, answer]) => {
    const response = { description: answer.description, ...(answer.content && { content: content(answer.content) }) }
    return [status, response] as const
  })
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    operationId: operationId(operation),
    parameters: [
      ...pathParameters(path),
      ...(query ? parameterObjects('query', schemaOf(query)) : []),
      ...(headers ? parameterObjects('header', schemaOf(headers)) : []),
    ],
    ...(body && { requestBody: { content: content(body) } }),
    responses: Object.fromEntries(responses),
    security: isGated(operation) ? [{ gatewaySecret: [] }] : [],
  }
}

/** `getAdminIncidentsId` */
function operationId({ method, path }: Operation): string {
  const words = path.replace('/api/', '/').split(/[^A-Za-z0-9]+/)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function pathParameters(path: string): ParameterObject[] {
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name)
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

function parameterObjects(
  place: 'query' | 'header',
  { properties = {}, required = [] }: JsonSchema,
): ParameterObject[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}
