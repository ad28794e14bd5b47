import type { AnswerPage } from '../../../../src/api/answer.ts'
import type { ProblemDetail, ProblemPage, ProblemRecord } from '../../../../src/api/noise/problem.ts'
import type { RunRecord } from '../../../../src/api/oncall/run.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import type { Doors } from '../../doors/index.ts'
import { noteIn, operatorOf } from '../acknowledge.ts'
import { answerFilter, known, numberOf, problemFilter } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'

const PROBLEMS = '/api/admin/problems'

interface ProblemDeps extends Pick<RouteDeps, 'askStorage' | 'settings'> {
  readonly doors: Pick<Doors, 'personResolved' | 'claims'>
}

/** Problems, and what people do to them. */
export function problemRoutes({ askStorage, settings, doors }: ProblemDeps): AdminRoute[] {
  const act = (action: string, kind: 'acknowledgeProblem' | 'resolveProblem') =>
    route<ProblemRecord>('POST', `${PROBLEMS}/:id/${action}`, async ({ params, body }) => {
      const [id, by] = [numberOf(params.id, 'problem'), operatorOf(body)]
      const write = noteIn({ askStorage, settings }, body)
      const { incidents, silence, ...record } = known(await askStorage({ kind, id, by }), 'problem')
      await write?.(id)
      if (kind === 'resolveProblem') doors.personResolved(record.fingerprint)
      return record
    })
  return [
    route<ProblemPage>('GET', PROBLEMS, ({ query }) => askStorage({ kind: 'problems', filter: problemFilter(query) })),
    route<ProblemDetail>('GET', `${PROBLEMS}/:id`, async ({ params }) => {
      const problem = known(await askStorage({ kind: 'problem', id: numberOf(params.id, 'problem') }), 'problem')
      const claims = problem.source === 'alertmanager' ? doors.claims(problem.fingerprint) : undefined
      return { ...problem, ...(claims && { claims }), ...(settings().brief.enable && { brief: true }) }
    }),
    route<AnswerPage>('GET', '/api/admin/answers', ({ query }) =>
      askStorage({ kind: 'answers', filter: answerFilter(query) }),
    ),
    act('ack', 'acknowledgeProblem'),
    act('resolve', 'resolveProblem'),
    route<RunRecord>('POST', `${PROBLEMS}/:id/escalate`, async ({ params, body }) => {
      const [id, by] = [numberOf(params.id, 'problem'), operatorOf(body)]
      if (!(await askStorage({ kind: 'oncall.escalate', id, by })))
        throw new CodedError('not_found', 'no escalation is at work on the problem')
      const [run] = (await askStorage({ kind: 'problem', id }))?.runs ?? []
      return known(run, 'escalation')
    }),
  ]
}
