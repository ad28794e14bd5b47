import type { HttpRequest } from 'uWebSockets.js'
import { CodedError } from '../domain/errors.ts'

/** A route parameter: its name and the raw segment of the path. */
type Segment = readonly [name: string, raw: string]

/** Returns a function that reads the parameters of a route. It must be called while `req` is valid. */
export function segmentsOf(path: string): (req: HttpRequest) => readonly Segment[] {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
  return (req) => names.map((name, at): Segment => [name, req.getParameter(at) ?? ''])
}

/** Decodes percent escapes. Throws bad_parameter. */
export function paramsOf(segments: readonly Segment[]): { readonly [name: string]: string } {
  try {
    return Object.fromEntries(segments.map(([name, raw]) => [name, decodeURIComponent(raw)]))
  } catch {
    throw new CodedError('bad_parameter', 'the path is not percent-encoded UTF-8')
  }
}
