import { CodedError, ERRORS } from '../../../src/domain/errors.ts'
import { type GatewayReport, REPORTED } from '../../../src/domain/oncall.ts'
import type { PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { isSigned } from '../../../src/oncall/signature.ts'
import { parseObject } from '../../../src/text/json-object.ts'
import { scrub } from '../../../src/text/scrub.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { jsonAnswer } from '../doors/door.ts'

interface ReportDeps {
  readonly askStorage: Ask<StorageQueries>
  /** The settings that run now. */
  settings(): Pick<SystemSettings, 'oncallGateways'>
  /** Epoch milliseconds. */
  now(): number
}

const MAX_BYTES = 4_096
const MAX_DETAIL = 200
const SIGNATURE = 'x-tocsin-signature'

/**
 * Takes what a gateway reports of a page. Rejects with `answer_signature`, also for a gateway that is not configured, so that the
 * names stay unknown; with `bad_parameter`; with `not_found` for an id that the gateway did not get.
 */
export function gatewayReportRoute({ askStorage, settings, now }: ReportDeps): PublicRoute {
  return {
    ...{ method: 'POST', path: '/api/oncall/gateway/:name', headers: [SIGNATURE], maxBodyBytes: MAX_BYTES },
    unavailable: ({ code, message }) => jsonAnswer(ERRORS[code].status, { error: message, code }),
    async answer({ params, headers, body }: PublicRequest) {
      const { name: gateway = '' } = params
      const secret = settings().oncallGateways.get(gateway)?.secret ?? ''
      if (!isSigned(headers[SIGNATURE] ?? '', body, { secret, now: now() })) throw new CodedError('answer_signature')
      const report = reportOf(gateway, body.toString(), secret)
      if (!(await askStorage({ kind: 'oncall.reported', report }))) throw new CodedError('not_found')
      return jsonAnswer(200, { ok: true })
    },
  }
}

function reportOf(gateway: string, body: string, secret: string): GatewayReport {
  const { id, state: given, detail = '' } = parseObject(body) ?? {}
  const state = REPORTED.find((each) => each === given)
  if (typeof id !== 'string' || id === '' || state === undefined || typeof detail !== 'string')
    throw new CodedError(
      'bad_parameter',
      `the body must be {id, state, detail}, with a state of ${REPORTED.join(', ')}`,
    )
  const masked = scrub(detail, [secret]).replace(PHONE_NUMBER, '…').slice(0, MAX_DETAIL)
  return { gateway, id, state, detail: masked.toWellFormed() }
}

/** A program may repeat the number that it called. */
const PHONE_NUMBER = /\+?\d[\d\s()./-]{5,}\d/g
