import type { HttpRequest } from 'uWebSockets.js'
import { CodedError } from '../domain/errors.ts'

/** A route parameter's name and what the path has in its place. */
type Segment = readonly [name: string, raw: string]

/** Reads a route's `:names` while `req` is valid. */
export function segmentsOf(path: string): (req: HttpRequest) => readonly Segment[] {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string)
  return (req) => names.map((name, at): Segment => [name, req.getParameter(at) ?? ''])
}

/** Percent-decoded; throws `bad_parameter`. */
export function paramsOf(segments: readonly Segment[]): { readonly [name: string]: string } {
  try {
    return Object.fromEntries(segments.map(([name, raw]) => [name, decodeURIComponent(raw)]))
  } catch {
    throw new CodedError('bad_parameter', 'the path is not percent-encoded UTF-8')
  }
}
