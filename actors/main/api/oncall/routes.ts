import type { RunList } from '../../../../src/api/oncall/run.ts'
import type {
  OncallOverride,
  OncallOverrideList,
  OncallOverview,
  OncallShiftList,
  OncallTestAnswer,
} from '../../../../src/api/oncall/schedules.ts'
import { CodedError, ERRORS } from '../../../../src/domain/errors.ts'
import type { AdminAnswer, AdminRequest, AdminRoute, PublicRoute } from '../../../../src/http/contract.ts'
import { jsonAnswer } from '../../doors/door.ts'
import { route } from '../route.ts'
import type { OncallDeps } from './deps.ts'

const PATH = '/api/admin/oncall'
const NOTHING: OncallOverview = {
  zone_data: process.versions.tz ?? '',
  api_overrides: false,
  schedules: [],
  people: [],
}

/** Schedules of on-call. The code behind the routes is loaded only when some are configured. */
export function oncallRoutes(deps: OncallDeps): AdminRoute[] {
  const isOn = () => deps.settings().oncallSchedules.size > 0
  const load = () => import('./schedules.ts')
  async function loaded() {
    if (!isOn()) throw new CodedError('not_found', 'no schedule is configured: oncall.schedules')
    return load()
  }
  const add = async (request: AdminRequest): Promise<AdminAnswer<OncallOverride>> => ({
    status: 201,
    json: await (await loaded()).addOverride(deps, request),
  })
  return [
    route<OncallOverview>('GET', PATH, async () =>
      isOn() || deps.settings().oncallRules !== undefined ? (await load()).overview(deps) : NOTHING,
    ),
    route<OncallTestAnswer>('POST', `${PATH}/people/:key/ways/:way/test`, async (request) =>
      (await load()).testWay(deps, request),
    ),
    route<RunList>('GET', `${PATH}/runs`, () => deps.askStorage({ kind: 'oncall.runs' })),
    route<OncallShiftList>('GET', `${PATH}/schedules/:name/shifts`, async (request) =>
      (await loaded()).shifts(deps, request),
    ),
    route<OncallOverrideList>('GET', `${PATH}/overrides`, async () => (await loaded()).overrides(deps)),
    { method: 'POST', path: `${PATH}/overrides`, answer: add },
    route<OncallOverride>('DELETE', `${PATH}/overrides/:id`, async (request) =>
      (await loaded()).endOverride(deps, request),
    ),
  ]
}

/** Calendars of shifts. The signature in the address replaces the gateway secret. */
export const feedRoutes = (deps: OncallDeps): PublicRoute[] =>
  (['person', 'schedule'] as const).map((kind) => ({
    method: 'GET',
    path: `/api/oncall/${kind}/:file`,
    headers: ['if-none-match'],
    // A program that subscribes asks again.
    unavailable: ({ code, message }) => jsonAnswer(ERRORS[code].status, { error: message }),
    async answer(request) {
      const { oncallSchedules, oncallFeeds } = deps.settings()
      if (oncallSchedules.size === 0 || !oncallFeeds.enable)
        throw new CodedError('not_found', 'no calendar has this address')
      return (await import('./feed.ts')).feed(deps, kind, request)
    },
  }))
