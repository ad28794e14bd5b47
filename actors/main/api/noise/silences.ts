import type { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../../../src/api/noise/silence.ts'
import type { SilenceCreated } from '../../../../src/api/noise/silence-requests.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { personOf } from '../../../../src/oncall/person.ts'
import type { Ask } from '../../../messages/query.ts'
import type { StorageQueries } from '../../../messages/storage-queries.ts'
import { known, numberOf, silenceFilter } from '../parameters.ts'
import { silenceChanges, silenceOf } from './silence-request.ts'

interface SilenceRouteDeps {
  readonly askStorage: Ask<StorageQueries>
  /** Epoch milliseconds. */
  now(): number
}

const PATH = '/api/admin/silences'

/** Silences: lists, makes, changes and ends them. */
export function silenceRoutes(deps: SilenceRouteDeps): AdminRoute[] {
  const { askStorage, now } = deps
  return [
    { method: 'GET', path: PATH, answer: (request) => list(askStorage, request) },
    { method: 'POST', path: PATH, answer: (request) => add(deps, request) },
    { method: 'POST', path: `${PATH}/preview`, answer: (request) => preview(deps, request) },
    { method: 'GET', path: `${PATH}/:id`, answer: (request) => detail(askStorage, request) },
    { method: 'PATCH', path: `${PATH}/:id`, answer: (request) => change(askStorage, request, now()) },
    { method: 'DELETE', path: `${PATH}/:id`, answer: (request) => end(askStorage, request) },
  ]
}

type AskStorage = SilenceRouteDeps['askStorage']

async function list(askStorage: AskStorage, { query }: AdminRequest): Promise<AdminAnswer<SilencePage>> {
  return { status: 200, json: await askStorage({ kind: 'silences', filter: silenceFilter(query) }) }
}

async function detail(askStorage: AskStorage, { params }: AdminRequest): Promise<AdminAnswer<SilenceDetail>> {
  return {
    status: 200,
    json: known(await askStorage({ kind: 'silence', id: numberOf(params.id, 'silence') }), 'silence'),
  }
}

async function add(
  { askStorage, now }: SilenceRouteDeps,
  { body }: AdminRequest,
): Promise<AdminAnswer<SilenceCreated>> {
  const { settings, broad } = await silenceOf(body, now())
  return { status: 201, json: await askStorage({ kind: 'addSilence', settings, broad }) }
}

async function preview(
  { askStorage, now }: SilenceRouteDeps,
  { body }: AdminRequest,
): Promise<AdminAnswer<SilencePreview>> {
  const { settings } = await silenceOf(body, now())
  return { status: 200, json: await askStorage({ kind: 'previewSilence', settings }) }
}

async function change(
  askStorage: AskStorage,
  { params, body }: AdminRequest,
  now: number,
): Promise<AdminAnswer<SilenceRecord>> {
  const changes = silenceChanges(body, now)
  return {
    status: 200,
    json: known(await askStorage({ kind: 'changeSilence', id: numberOf(params.id, 'silence'), changes }), 'silence'),
  }
}

async function end(askStorage: AskStorage, { params, query }: AdminRequest): Promise<AdminAnswer<SilenceRecord>> {
  const given = query.get('by')
  const by = given === null ? 'an operator' : personOf(given)
  if (by === undefined) throw new CodedError('bad_parameter', 'by must be a name')
  return {
    status: 200,
    json: known(await askStorage({ kind: 'endSilence', id: numberOf(params.id, 'silence'), by }), 'silence'),
  }
}
