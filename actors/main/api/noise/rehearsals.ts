import type { Rehearsal } from '../../../../src/api/noise/rehearsal.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRequest, AdminRoute } from '../../../../src/http/contract.ts'
import { isObject } from '../../../../src/text/json-object.ts'
import type { Propose, SystemSettings } from '../../../wiring/settings.ts'
import type { Rehearsals } from '../../rehearsals.ts'
import { objectOf } from '../parameters.ts'
import { route } from '../route.ts'

interface RehearsalDeps {
  readonly rehearsals: Pick<Rehearsals, 'begin' | 'find'>
  readonly propose: Propose
  settings(): SystemSettings
}

const PATH = '/api/admin/rehearsals'
const DAY_HOURS = 24
const MAX_HOURS = 366 * DAY_HOURS
const MAX_NAME = 200

/** History under a proposed configuration. */
export function rehearsalRoutes(deps: RehearsalDeps): AdminRoute[] {
  return [
    { method: 'POST', path: PATH, answer: async ({ body }) => ({ status: 202, json: begin(deps, body) }) },
    route<Rehearsal>('GET', `${PATH}/:id`, ({ params }) => found(deps, params)),
  ]
}

function begin({ rehearsals, propose, settings }: RehearsalDeps, body: AdminRequest['body']): Rehearsal {
  const { config, hours = DAY_HOURS, file = 'proposed', ...others } = objectOf(body, 'the body')
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new CodedError('bad_parameter', `${JSON.stringify(unknown)} is not known; there are: config, hours, file`)
  if (typeof hours !== 'number' || !(hours > 0 && hours <= MAX_HOURS))
    throw new CodedError('bad_parameter', `hours must be a number above 0 and at most ${MAX_HOURS}`)
  if (typeof file !== 'string' || file.length > MAX_NAME)
    throw new CodedError('bad_parameter', `file must be text of at most ${MAX_NAME} characters`)
  const { config: proposed, warnings } = proposedBy(propose, { file, text: textOf(config) })
  const own = warnings.filter((warning) => warning.startsWith(`${file}:`))
  return rehearsals.begin({ inForce: settings(), proposed, hours, warnings: own })
}

/** JSON is YAML. */
function textOf(config: unknown): string {
  if (typeof config === 'string') return config
  if (isObject(config)) return JSON.stringify(config)
  throw new CodedError(
    'bad_parameter',
    'config must be YAML text, or an object with any of routes, schedules, silences, noise',
  )
}

function proposedBy(propose: Propose, text: Parameters<Propose>[0]): ReturnType<Propose> {
  try {
    return propose(text)
  } catch (error) {
    if (error instanceof CodedError && error.code === 'config_invalid')
      throw new CodedError('routes_invalid', error.message, { cause: error })
    throw error
  }
}

function found({ rehearsals }: RehearsalDeps, { id = '' }: AdminRequest['params']): Rehearsal {
  const rehearsal = rehearsals.find(id)
  if (rehearsal === undefined)
    throw new CodedError('not_found', 'no rehearsal has this id; the last ten since the start are kept')
  return rehearsal
}
