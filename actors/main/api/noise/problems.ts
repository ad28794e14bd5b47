import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../../../src/api/noise/problem.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { operatorOf } from '../acknowledge.ts'
import { known, numberOf, problemFilter } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'

const PROBLEMS = '/api/admin/problems'

/** Problems, and what people do to them. */
export function problemRoutes({ askStorage }: Pick<RouteDeps, 'askStorage'>): AdminRoute[] {
  const act = (action: string, kind: 'acknowledgeProblem' | 'resolveProblem') =>
    route<ProblemRecord>('POST', `${PROBLEMS}/:id/${action}`, async ({ params, body }) => {
      const [id, by] = [numberOf(params.id, 'problem'), operatorOf(body)]
      const { incidents, silence, ...record } = known(await askStorage({ kind, id, by }), 'problem')
      return record
    })
  return [
    route<ProblemPage>('GET', PROBLEMS, ({ query }) => askStorage({ kind: 'problems', filter: problemFilter(query) })),
    route<ProblemDetail>('GET', `${PROBLEMS}/:id`, async ({ params }) =>
      known(await askStorage({ kind: 'problem', id: numberOf(params.id, 'problem') }), 'problem'),
    ),
    act('ack', 'acknowledgeProblem'),
    act('resolve', 'resolveProblem'),
  ]
}
