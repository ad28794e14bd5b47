import { z } from 'zod'
import { ErrorAnswer } from '../../api/error.ts'
import { paging } from '../../api/fields.ts'
import { ERRORS, type ErrorCode } from '../../domain/errors.ts'

export type Tag =
  | 'intake'
  | 'health'
  | 'acknowledge'
  | 'incidents'
  | 'noise'
  | 'on-call'
  | 'channels'
  | 'system'
  | 'agent'
  | 'dashboard'

/** Schemas by media type. */
interface Content {
  readonly [mediaType: string]: z.ZodType
}

interface Answer {
  readonly description: string
  readonly content?: Content
}

/** One route as the document describes it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** In the notation of routes: `/api/admin/incidents/:id`. */
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** A field per parameter. */
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: Content
  readonly answers: { readonly [status: number]: Answer }
  /** Beside those that every gated route has, and `bad_parameter` of those with a query or a JSON body. */
  readonly errors?: readonly ErrorCode[]
}

type Rest = Omit<Operation, 'method' | 'path' | 'tag' | 'summary'>

/** Returns a function that describes routes of one tag, such as `get incidents/:id`; all paths begin with `base`. */
export const operationsOf =
  (tag: Tag, base = '') =>
  (route: `${Operation['method']} ${string}`, summary: string, rest: Rest): Operation => {
    const [method, path] = route.split(' ') as [Operation['method'], string]
    return { method, path: base + path, tag, summary, ...rest }
  }

export const json = (schema: z.ZodType): Content => ({ 'application/json': schema })
export const ok = (schema: z.ZodType, description = 'Done') => ({ 200: { description, content: json(schema) } })

/** A list in pages, with the parameters that narrow it. */
export const pages = (schema: z.ZodType, filters: z.ZodRawShape) => ({
  query: z.object({ ...filters, ...paging }),
  answers: ok(schema, 'A page'),
})

/** Errors that every gated route may answer. */
export const GATED: readonly ErrorCode[] = [
  'unauthorized',
  'not_found',
  'too_many_attempts',
  'ask_timeout',
  'peer_down',
]

/** Errors of routes that write. */
export const DISK = ['storage_full', 'storage_down'] as const

/** Tells whether the route asks for the gateway secret. */
export const isGated = ({ path }: Operation) => /^\/api\/(admin|agent)\//.test(path)

/** All answers by status. Error codes of one status share an answer, whose description lists them. */
export function answersOf(operation: Operation): { readonly [status: string]: Answer } {
  const { query, body, errors: own = [] } = operation
  const takes: readonly ErrorCode[] = query || (body && !body['text/plain']) ? ['bad_parameter'] : []
  const codes = new Set([...(isGated(operation) ? [...GATED, ...takes] : []), ...own])
  const errors = Map.groupBy(codes, (code) => ERRORS[code].status)
  return {
    ...operation.answers,
    ...Object.fromEntries(Array.from(errors, ([status, each]) => [status, errorAnswer(each)])),
  }
}

function errorAnswer(codes: readonly ErrorCode[]): Answer {
  const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('; ')
  return { description, content: json(ErrorAnswer) }
}

/** Every schema of the operation. */
export function schemasOf(operation: Operation): z.ZodType[] {
  const { query, headers, body } = operation
  const answers = Object.values(answersOf(operation)).map(({ content }) => content)
  const contents = [body, ...answers].flatMap((content) => Object.values(content ?? {}))
  return [query, headers, ...contents].filter((schema) => schema !== undefined)
}
