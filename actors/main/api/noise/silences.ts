import type { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../../../src/api/noise/silence.ts'
import type { SilenceCreated } from '../../../../src/api/noise/silence-requests.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { operatorOf } from '../acknowledge.ts'
import { known, numberOf, silenceFilter } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'
import { silenceChanges, silenceOf } from './silence-request.ts'

const PATH = '/api/admin/silences'

/** Silences: lists, makes, changes and ends them. */
export function silenceRoutes({ askStorage, now }: Pick<RouteDeps, 'askStorage' | 'now'>): AdminRoute[] {
  const read = (body: unknown) =>
    silenceOf(body, {
      now: now(),
      problem: (number) => askStorage({ kind: 'namedProblem', name: { number } }),
    })
  const add = async ({ body }: AdminRequest): Promise<AdminAnswer<SilenceCreated>> => {
    const { settings, broad } = await read(body)
    return { status: 201, json: await askStorage({ kind: 'addSilence', settings, broad }) }
  }
  return [
    route<SilencePage>('GET', PATH, ({ query }) => askStorage({ kind: 'silences', filter: silenceFilter(query) })),
    { method: 'POST', path: PATH, answer: add },
    route<SilencePreview>('POST', `${PATH}/preview`, async ({ body }) => {
      const { settings } = await read(body)
      return askStorage({ kind: 'previewSilence', settings })
    }),
    route<SilenceDetail>('GET', `${PATH}/:id`, async ({ params }) =>
      known(await askStorage({ kind: 'silence', id: numberOf(params.id, 'silence') }), 'silence'),
    ),
    route<SilenceRecord>('PATCH', `${PATH}/:id`, async ({ params, body }) => {
      const changes = silenceChanges(body, now())
      return known(await askStorage({ kind: 'changeSilence', id: numberOf(params.id, 'silence'), changes }), 'silence')
    }),
    route<SilenceRecord>('DELETE', `${PATH}/:id`, async ({ params, query }) => {
      const by = operatorOf(Object.fromEntries(query))
      return known(await askStorage({ kind: 'endSilence', id: numberOf(params.id, 'silence'), by }), 'silence')
    }),
  ]
}
