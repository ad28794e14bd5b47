import { ExplainRequest, Explanation } from '../../api/noise/explain.ts'
import { RouteTable } from '../../api/noise/route.ts'
import { json, type Operation, ok } from './operation.ts'

/** Routes about who is told of what, and in which way. */
export const NOISE: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/routes',
    tag: 'noise',
    summary: 'The rules of `routes` in their order, with their hits and those that are never reached',
    answers: ok(RouteTable, 'All rules'),
  },
  {
    method: 'get',
    path: '/api/admin/incidents/:id/explain',
    tag: 'noise',
    summary: 'Why an incident was told to whom',
    answers: ok(Explanation, 'Every decision, in order'),
  },
  {
    method: 'post',
    path: '/api/admin/explain',
    tag: 'noise',
    summary: 'What would be done with a payload; it is not stored and nothing is sent',
    body: json(ExplainRequest),
    answers: ok(Explanation, 'Every decision, in order'),
    errors: ['bad_parameter'],
  },
]
