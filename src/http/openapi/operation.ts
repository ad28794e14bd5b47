import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { ref, type Schema, text } from './schema.ts'

type Tag = 'intake' | 'health' | 'acknowledge' | 'incidents' | 'channels' | 'system' | 'agent' | 'dashboard'

interface Content {
  /** Media type to its schema; JSON when it is a schema itself. */
  readonly [type: string]: Schema
}

export interface Operation {
  readonly method: 'get' | 'post' | 'delete'
  /** As routes are written: `/api/admin/incidents/:id`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** By name; one that ends with an exclamation mark must be given. */
  readonly query?: { readonly [name: string]: Schema }
  readonly headers?: { readonly [name: string]: Schema }
  readonly body?: Content
  readonly answers: { readonly [status: number]: { readonly description: string; readonly content?: Content } }
  readonly errors?: readonly ErrorCode[]
}

export const json = (schema: Schema): Content => ({ 'application/json': schema })
export const ok = (schema: Schema, description = 'Done') => ({ 200: { description, content: json(schema) } })

/** What every gated route may answer. */
const GATED: readonly ErrorCode[] = ['unauthorized', 'not_found', 'too_many_attempts', 'ask_timeout', 'peer_down']
const isGated = (path: string) => /^\/api\/(admin|agent)\//.test(path)

/** As the document has it. */
export function operationObject(operation: Operation): object {
  const { path, tag, summary, description, query = {}, headers = {}, body, answers, errors = [] } = operation
  const gated = isGated(path)
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    operationId: idOf(operation),
    parameters: [
      ...Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => parameter('path', `${name}!`, text)),
      ...Object.entries(query).map(([name, schema]) => parameter('query', name, schema)),
      ...Object.entries(headers).map(([name, schema]) => parameter('header', name, schema)),
    ],
    ...(body === undefined ? {} : { requestBody: { content: contentOf(body) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      ...errorAnswers(gated ? [...GATED, ...errors] : errors),
    },
    security: gated ? [{ gatewaySecret: [] }] : [],
  }
}

/** `getAdminIncidentsId` */
function idOf({ method, path }: Operation): string {
  const words = path.replace('/api/', '/').split(/[^A-Za-z0-9]+/)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parameter(place: 'path' | 'query' | 'header', name: string, { description, ...schema }: Schema): object {
  return {
    name: name.replace(/!$/, ''),
    in: place,
    required: name.endsWith('!'),
    ...(description === undefined ? {} : { description }),
    schema,
  }
}

function answerOf({ description, content }: Operation['answers'][number]): object {
  return { description, ...(content === undefined ? {} : { content: contentOf(content) }) }
}

const contentOf = (content: Content) =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

/** One answer a status, naming the codes of the catalogue that it may stand for. */
function errorAnswers(codes: readonly ErrorCode[]): object {
  const statuses = new Set(codes.map((code) => ERRORS[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const own = [...new Set(codes)].filter((code) => ERRORS[code].status === status)
      const description = own.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('; ')
      return [status, { description, content: contentOf(json(ref('Error'))) }]
    }),
  )
}
