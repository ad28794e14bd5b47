import { CodedError } from '../src/domain/errors.ts'
import type { AdminRequest, AdminRoute } from '../src/http/front.ts'
import type { StorageQuery } from './messages.ts'

const DEFAULT_LIMIT = 50

/** The operator's questions, each answered by the actor that owns what is asked for. */
export function adminRoutes(ask: (query: StorageQuery) => Promise<unknown>): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/admin/incidents',
      answer: async ({ query }) => ({ status: 200, json: await ask({ kind: 'incidents', filter: pageOf(query) }) }),
    },
    { method: 'GET', path: '/api/admin/incidents/:id', answer: (request) => incident(request, ask) },
  ]
}

async function incident({ params }: AdminRequest, ask: (query: StorageQuery) => Promise<unknown>) {
  const found = await ask({ kind: 'incident', id: params.id ?? '' })
  if (found === undefined) throw new CodedError('not_found', 'no incident has this id')
  return { status: 200, json: found }
}

function pageOf(query: URLSearchParams): { limit: number; cursor?: string } {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new CodedError('bad_parameter', 'limit must be a whole number from 1 to 500')
  }
  const cursor = query.get('cursor')
  return cursor === null ? { limit } : { limit, cursor }
}
