import { randomBytes } from 'node:crypto'
import type { Payload } from '../../../src/domain/incident.ts'
import { jsonOf } from '../../../src/http/body/documents.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import { KeyRing } from '../../../src/http/credentials.ts'
import { asObject } from '../../../src/intake/fields.ts'
import { eventErrors, eventPayload, isBare, readEvent, withWordsOf } from '../../../src/intake/pagerduty-request.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { personOf } from '../../../src/oncall/person.ts'
import { isObject } from '../../../src/text/json-object.ts'
import { authenticate, type Door, type DoorDeps, DoorError, jsonAnswer, perSettings, type Refusal } from './door.ts'
import { endOf } from './submit.ts'

const NAME = 'pagerduty'
const MAX_BODY_BYTES = 512 * 1024
/** Bytes of a key that a trigger without one gets. */
const KEY_BYTES = 16

/** PagerDuty's Events API v2. */
export function pagerduty(deps: DoorDeps): Door {
  const { submit, askStorage, settings, counts } = deps
  const ring = perSettings(settings, ({ intake }) => new KeyRing(intake.pagerduty.routingKeys))

  async function enqueue(request: PublicRequest): Promise<PublicAnswer> {
    const body = jsonOf(request.body)
    if (!isObject(body)) throw new DoorError('body_not_object', 'the body must be a JSON object')
    const integration = integrationOf(request, body)
    const errors = eventErrors(body)
    if (errors.length > 0) throw new DoorError('bad_parameter', errors.join('; '), { errors })
    const { action, dedupKey = randomBytes(KEY_BYTES).toString('hex'), event } = readEvent(body)
    const payload = eventPayload(event, integration, dedupKey)
    if (action === 'trigger') await submit({ source: NAME }, [payload])
    else if (action === 'resolve') await resolve(payload)
    else await acknowledge(payload, integration)
    return jsonAnswer(202, { status: 'success', message: 'Event processed', dedup_key: dedupKey })
  }

  /** Returns the name of the routing key. Throws `unauthorized`, `too_many_attempts`. */
  function integrationOf(request: PublicRequest, { routing_key: key }: Payload): string {
    if (typeof key !== 'string' || key === '') throw new DoorError('bad_parameter', 'routing_key is missing')
    return authenticate(deps, request, () => ring().nameOf(key))
  }

  async function resolve(payload: Payload): Promise<void> {
    const { fingerprint } = recognise(payload)
    const problem = await askStorage({ kind: 'namedProblem', name: { fingerprint } })
    if (problem?.state !== 'firing') return counts.ignored(NAME, 'not_firing')
    const last = isBare(payload) ? await askStorage({ kind: 'incident', id: problem.lastId }) : undefined
    const whole = isBare(payload) ? withWordsOf(payload, last && asObject(last.content), problem) : payload
    await submit({ source: NAME, key: endOf(problem) }, [whole])
  }

  async function acknowledge(payload: Payload, integration: string): Promise<void> {
    const { fingerprint } = recognise(payload)
    const by = (typeof payload.client === 'string' && personOf(payload.client)) || integration
    const problem = await askStorage({ kind: 'acknowledgeNamed', name: { fingerprint }, by })
    if (problem?.state !== 'firing') counts.ignored(NAME, 'not_firing')
  }

  async function change(request: PublicRequest): Promise<PublicAnswer> {
    if (!settings().brief.enable) throw new DoorError('not_found')
    const body = jsonOf(request.body)
    if (!isObject(body)) throw new DoorError('body_not_object', 'the body must be a JSON object')
    integrationOf(request, body)
    if (!isObject(body.payload)) throw new DoorError('bad_parameter', 'payload is missing')
    await deps.changes.store(body)
    return jsonAnswer(202, { status: 'success', message: 'Change event processed' })
  }

  const route = { method: 'POST' as const, maxBodyBytes: MAX_BODY_BYTES, gzip: true }
  return {
    name: NAME,
    isOpen: ({ intake }) => intake.pagerduty.routingKeys.size > 0,
    refuse,
    routes: [
      { ...route, path: '/v2/enqueue', answer: enqueue },
      { ...route, path: '/v2/change/enqueue', answer: change },
    ],
  }
}

const invalid = (errors: readonly string[]) =>
  jsonAnswer(400, { status: 'invalid event', message: 'Event object is invalid', errors })

/** The API knows no 401: senders show the errors of a 400, and repeat 429 and 5xx. */
function refuse({ code, status, message, errors = [message], headers }: Refusal): PublicAnswer {
  if (code === 'unauthorized') return invalid(['routing_key is not one of the configured keys'])
  if (status === 400) return invalid(errors)
  if (status === 413) return jsonAnswer(status, { error: message }, headers)
  return jsonAnswer(status, { status: code, message, errors }, headers)
}
