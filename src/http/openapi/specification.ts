/** The parts of OpenAPI 3.1 that the document uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: OperationObject } }
  readonly components: {
    readonly schemas: { readonly [name: string]: JsonSchema }
    readonly securitySchemes: { readonly [name: string]: object }
  }
}

export interface OperationObject {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly operationId: string
  readonly parameters: readonly ParameterObject[]
  readonly requestBody?: { readonly content: MediaTypes }
  readonly responses: { readonly [status: string]: ResponseObject }
  readonly security: readonly { readonly [scheme: string]: readonly string[] }[]
}

export interface ParameterObject {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

interface ResponseObject {
  readonly description: string
  readonly content?: MediaTypes
}

export interface MediaTypes {
  readonly [mediaType: string]: { readonly schema: JsonSchema }
}

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
