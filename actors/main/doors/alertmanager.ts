import { jsonOf } from '../../../src/http/body/documents.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { CREDENTIAL_HEADERS } from '../../../src/http/credentials.ts'
import type { AlertmanagerReads } from './alertmanager-reads.ts'
import type { Alerts } from './alerts.ts'
import {
  admitHolder,
  admitSender,
  type Door,
  type DoorDeps,
  DoorError,
  EMPTY_ANSWER,
  jsonAnswer,
  type Refusal,
  typeOf,
} from './door.ts'

/** The largest `intake.alertmanager.max_body_bytes`. */
const LARGEST_BODY = 64 * 1024 * 1024
const MAX_ALERTS = 10_000
const NAMED = 10
/** All live silences are read at once. */
const MAX_SILENCE_BYTES = 64 * 1024

/** The Alertmanager API v2. */
export function alertmanager(deps: DoorDeps, alerts: Alerts): Door {
  const { settings } = deps
  let loading: Promise<AlertmanagerReads> | undefined

  async function post(request: PublicRequest): Promise<PublicAnswer> {
    admitSender(deps, request)
    const { maxBodyBytes } = settings().intake.alertmanager
    if (typeOf(request) !== 'application/json')
      throw new DoorError('unsupported_type', 'the Content-Type must be application/json')
    if (request.body.length > maxBodyBytes) throw new DoorError('body_too_large')
    const body = jsonOf(request.body)
    if (Array.isArray(body) && body.length > MAX_ALERTS) throw new DoorError('too_many_incidents')
    const invalid = await alerts.post(body, request.address)
    if (invalid.length === 0) return EMPTY_ANSWER
    const named = invalid.slice(0, NAMED).map(({ at, reason }) => `alert ${at}: ${reason}`)
    const more = invalid.length - named.length
    return jsonAnswer(400, `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`)
  }

  /** All but the alerts of senders needs the gateway secret. */
  function get(path: string, what: keyof AlertmanagerReads): Door['routes'][number] {
    return {
      method: 'GET',
      path,
      headers: ['content-type', ...CREDENTIAL_HEADERS],
      async answer(request) {
        const { gatewaySecret } = settings()
        if (gatewaySecret === '') throw new DoorError('not_found')
        admitHolder(deps, request, gatewaySecret)
        loading ??= import('./alertmanager-reads.ts').then(({ openAlertmanagerReads }) =>
          openAlertmanagerReads(deps, alerts),
        )
        const reads = await loading
        return reads[what](request)
      },
    }
  }

  return {
    name: 'alertmanager',
    isOpen: ({ intake }) => intake.alertmanager.enable,
    refuse,
    routes: [
      get('/api/v2/alerts', 'alerts'),
      get('/api/v2/alerts/groups', 'groups'),
      get('/api/v2/receivers', 'receivers'),
      get('/api/v2/silences', 'silences'),
      get('/api/v2/silence/:id', 'silence'),
      get('/api/v2/status', 'status'),
      { ...get('/api/v2/silences', 'addSilence'), method: 'POST', maxBodyBytes: MAX_SILENCE_BYTES },
      { ...get('/api/v2/silence/:id', 'endSilence'), method: 'DELETE' },
      { method: 'GET', path: '/api/v1/*', answer: goneAnswer },
      { method: 'POST', path: '/api/v1/*', answer: goneAnswer },
      {
        method: 'POST',
        path: '/api/v2/alerts',
        headers: ['content-type', ...CREDENTIAL_HEADERS],
        maxBodyBytes: LARGEST_BODY,
        gzip: true,
        takesIntakeToken: true,
        answer: post,
      },
    ],
  }
}

const goneAnswer = async () =>
  jsonAnswer(410, 'The Alertmanager v1 API was removed as of Alertmanager 0.27.0: use /api/v2')

/** A JSON string, as Alertmanager answers; a body that is too large has the body of the front. */
const refuse = ({ status, message, headers }: Refusal): PublicAnswer =>
  jsonAnswer(status, status === 413 ? { error: message } : message, headers)
