import { z } from 'zod'
import { CHANNEL_NAMES } from '../domain/delivery/delivery.ts'

/**
 * The type of a schema, read-only at every depth. Schemas of this folder describe answers and bodies: they are types
 * for the code and the dashboard, and the source of the OpenAPI document. Import them with `import type`; only
 * `src/http/openapi/` loads them.
 */
export type Shape<S extends z.ZodType> = DeepReadonly<z.infer<S>>

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

/** ISO 8601 in UTC, with milliseconds. */
export const time = z.iso.datetime()
export const count = z.int().min(0)
export const nonNegative = z.number().min(0)
export const channelName = z.enum(CHANNEL_NAMES)
/** Any JSON object. */
export const jsonObject = z.record(z.string(), z.unknown())
export const nextCursor = z.string().nullable().describe('`cursor` of the next page; null on the last one')
/** The answer of an action that has nothing else to report. */
export const ok = z.literal(true)

/** Parameters of every list. */
export const paging = {
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().exactOptional().describe('`next_cursor` of the page before'),
}
