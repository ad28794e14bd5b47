import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../../../src/api/noise/problem.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import { operatorOf } from '../acknowledge.ts'
import { known, numberOf, problemFilter } from '../parameters.ts'

type AskStorage = Ask<StorageQueries>

const PROBLEMS = '/api/admin/problems'

/** Problems, and what people do to them. */
export function problemRoutes({ askStorage }: { readonly askStorage: AskStorage }): AdminRoute[] {
  return [
    { method: 'GET', path: PROBLEMS, answer: (request) => problems(askStorage, request) },
    { method: 'GET', path: `${PROBLEMS}/:id`, answer: (request) => problem(askStorage, request) },
    {
      method: 'POST',
      path: `${PROBLEMS}/:id/ack`,
      answer: (request) => act(askStorage, 'acknowledgeProblem', request),
    },
    {
      method: 'POST',
      path: `${PROBLEMS}/:id/resolve`,
      answer: (request) => act(askStorage, 'resolveProblem', request),
    },
  ]
}

async function problems(askStorage: AskStorage, { query }: AdminRequest): Promise<AdminAnswer<ProblemPage>> {
  return { status: 200, json: await askStorage({ kind: 'problems', filter: problemFilter(query) }) }
}

async function problem(askStorage: AskStorage, { params }: AdminRequest): Promise<AdminAnswer<ProblemDetail>> {
  return {
    status: 200,
    json: known(await askStorage({ kind: 'problem', id: numberOf(params.id, 'problem') }), 'problem'),
  }
}

async function act(
  askStorage: AskStorage,
  kind: 'acknowledgeProblem' | 'resolveProblem',
  { params, body }: AdminRequest,
): Promise<AdminAnswer<ProblemRecord>> {
  const [id, by] = [numberOf(params.id, 'problem'), operatorOf(body)]
  const { incidents, silence, ...record } = known(await askStorage({ kind, id, by }), 'problem')
  return { status: 200, json: record }
}
