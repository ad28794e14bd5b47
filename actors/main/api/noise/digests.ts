import type { DigestDetail, DigestPage, DigestPlacePage } from '../../../../src/api/noise/digest.ts'
import type { SloReport } from '../../../../src/api/noise/slo.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { sloOf } from '../../../../src/telemetry/slo.ts'
import type { Snapshot } from '../../../../src/telemetry/snapshot.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import { digestFilter, known, numberOf, page } from '../parameters.ts'

interface NoiseRouteDeps {
  readonly askStorage: Ask<StorageQueries>
  observe(): Promise<Snapshot>
}

const DIGESTS = '/api/admin/digests'

/** Digests, and how long it took until incidents were told. */
export function digestRoutes({ askStorage, observe }: NoiseRouteDeps): AdminRoute[] {
  return [
    { method: 'GET', path: DIGESTS, answer: (request) => digests(askStorage, request) },
    { method: 'GET', path: `${DIGESTS}/:number`, answer: (request) => digest(askStorage, request) },
    { method: 'GET', path: `${DIGESTS}/:number/incidents`, answer: (request) => places(askStorage, request) },
    { method: 'GET', path: '/api/admin/slo', answer: () => slo(observe) },
  ]
}

type AskStorage = NoiseRouteDeps['askStorage']

async function digests(askStorage: AskStorage, { query }: AdminRequest): Promise<AdminAnswer<DigestPage>> {
  return { status: 200, json: await askStorage({ kind: 'digests', filter: digestFilter(query) }) }
}

async function digest(askStorage: AskStorage, { params }: AdminRequest): Promise<AdminAnswer<DigestDetail>> {
  return {
    status: 200,
    json: known(await askStorage({ kind: 'digest', number: numberOf(params.number, 'digest') }), 'digest'),
  }
}

async function places(askStorage: AskStorage, { params, query }: AdminRequest): Promise<AdminAnswer<DigestPlacePage>> {
  const filter = { ...page(query, ['limit', 'cursor']), number: numberOf(params.number, 'digest') }
  return { status: 200, json: known(await askStorage({ kind: 'places', filter }), 'digest') }
}

async function slo(observe: NoiseRouteDeps['observe']): Promise<AdminAnswer<SloReport>> {
  return { status: 200, json: sloOf(await observe()) }
}
