import type { DigestDetail, DigestPage, DigestPlacePage } from '../../../../src/api/noise/digest.ts'
import type { SloReport } from '../../../../src/api/noise/slo.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { sloOf } from '../../../../src/telemetry/slo.ts'
import { digestFilter, known, numberOf, placeFilter } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'

const DIGESTS = '/api/admin/digests'

/** Digests, and how long it took until incidents were told. */
export function digestRoutes({ askStorage, observe }: Pick<RouteDeps, 'askStorage' | 'observe'>): AdminRoute[] {
  return [
    route<DigestPage>('GET', DIGESTS, ({ query }) => askStorage({ kind: 'digests', filter: digestFilter(query) })),
    route<DigestDetail>('GET', `${DIGESTS}/:number`, async ({ params }) =>
      known(await askStorage({ kind: 'digest', number: numberOf(params.number, 'digest') }), 'digest'),
    ),
    route<DigestPlacePage>('GET', `${DIGESTS}/:number/incidents`, async ({ params, query }) => {
      const filter = placeFilter(query, numberOf(params.number, 'digest'))
      return known(await askStorage({ kind: 'places', filter }), 'digest')
    }),
    route<SloReport>('GET', '/api/admin/slo', async () => sloOf(await observe())),
  ]
}
