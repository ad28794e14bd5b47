/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export interface Schema {
  readonly [keyword: string]: unknown
}

export const text: Schema = { type: 'string' }
export const time: Schema = { type: 'string', format: 'date-time' }
export const flag: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number', minimum: 0 }
export const count: Schema = { type: 'integer', minimum: 0 }
export const anything: Schema = {}
export const payload: Schema = { type: 'object', description: 'Any JSON object' }

export const oneOf = (...values: readonly (string | number | boolean)[]): Schema => ({ enum: values })
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const map = (values: Schema): Schema => ({ type: 'object', additionalProperties: values })
export const nullable = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
export const said = (description: string, schema: Schema): Schema => ({ ...schema, description })
/** One of `SCHEMAS`, by its name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

interface Properties {
  readonly [name: string]: Schema
}

/** All of them are there, unless the name ends with a question mark. */
export function object(properties: Properties): Schema {
  const entries = Object.entries(properties)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
  }
}
