import { randomUUID } from 'node:crypto'
import type { Payload } from '../../../src/domain/incident.ts'
import { jsonOf } from '../../../src/http/body/documents.ts'
import type { PublicAnswer, PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { KeyRing } from '../../../src/http/credentials.ts'
import { asObject, textAt } from '../../../src/intake/fields.ts'
import {
  alertErrors,
  askerOf,
  closePayload,
  createPayload,
  type OpenAlert,
  withoutEffect,
} from '../../../src/intake/opsgenie-request.ts'
import { recognise } from '../../../src/intake/recognise.ts'
import { personOf } from '../../../src/oncall/person.ts'
import type { NamedProblem, ProblemName } from '../../../src/store/ports/problems.ts'
import { graphemeStart } from '../../../src/text/graphemes.ts'
import { isObject } from '../../../src/text/json-object.ts'
import { authenticate, type Door, type DoorDeps, DoorError, jsonAnswer, perSettings, type Refusal } from './door.ts'
import { endOf } from './submit.ts'

const NAME = 'opsgenie'
const MAX_BODY_BYTES = 512 * 1024
const MAX_NOTE = 25_000
/** Seconds of an answer at least: clients take 0 for a missing value. */
const SHORTEST = 0.001

/** A request of a known key. `body`: empty where it is not read. */
interface Asked {
  readonly request: PublicRequest
  readonly integration: string
  readonly body: Payload
}

/** The answer to a request that was taken. */
interface Done {
  readonly status?: number
  readonly requestId: string
  readonly json: object
}

/** Opsgenie's Alert API, and the pings of its Heartbeat API. */
export function opsgenie(deps: DoorDeps): Door {
  const { submit, askStorage, settings, counts, clock, log, pings } = deps
  /** Integrations of which was logged that parts of their alerts have no effect. */
  const logged = new Set<string>()
  const ring = perSettings(settings, ({ intake }) => new KeyRing(intake.opsgenie.apiKeys))

  async function create({ integration, body }: Asked): Promise<Done> {
    const idle = withoutEffect(body)
    if (idle.length > 0 && !logged.has(integration)) {
      logged.add(integration)
      log.warn({ integration, parts: idle }, 'parts of alerts have no effect: routes decide who is notified')
    }
    const warnings = idle.length > 0 ? idle.map((part) => `${part} has no effect`) : undefined
    const payload = createPayload(body, integration, textAt(body, ['alias']) || randomUUID())
    const { id } = await submit({ source: NAME, warnings }, [payload])
    return accepted(id)
  }

  async function close(asked: Asked): Promise<Done> {
    const { problem, alert } = await find(asked)
    if (problem.state !== 'firing') {
      counts.ignored(NAME, 'not_firing')
      return accepted(problem.lastId)
    }
    const payload = closePayload(asked.body, alert, problem)
    const { id } = await submit({ source: NAME, key: endOf(problem) }, [payload])
    return accepted(id)
  }

  async function acknowledge(asked: Asked): Promise<Done> {
    const { problem } = await find(asked)
    const number = { number: problem.id }
    if (problem.state === 'firing') await askStorage({ kind: 'acknowledgeNamed', name: number, by: personIn(asked) })
    else counts.ignored(NAME, 'not_firing')
    if (textAt(asked.body, ['note']) !== '') await say(asked, problem)
    return accepted(problem.lastId)
  }

  async function note(asked: Asked): Promise<Done> {
    const { problem } = await find(asked)
    await say(asked, problem)
    return accepted(problem.lastId)
  }

  async function say(asked: Asked, { id }: NamedProblem): Promise<void> {
    const text = graphemeStart(textAt(asked.body, ['note']), MAX_NOTE)
    const noted = await askStorage({ kind: 'noteNamed', name: { number: id }, by: personIn(asked), text })
    if (noted?.threads === 0) counts.ignored(NAME, 'note_without_thread')
  }

  const personIn = ({ body, integration }: Asked) => personOf(askerOf(body)) ?? integration

  /** Returns the alert that the path names, of this integration alone. Throws `not_found`. */
  async function find(asked: Asked): Promise<{ readonly problem: NamedProblem; readonly alert: OpenAlert }> {
    const name = nameOf(asked)
    const problem = await askStorage({ kind: 'namedProblem', name })
    const alias = 'fingerprint' in name ? asked.request.params.id : undefined
    const alert = problem && (await alertOf(problem, asked.integration, alias))
    if (problem === undefined || alert === undefined) throw new DoorError('not_found', 'Alert does not exist')
    return { problem, alert }
  }

  /**
   * Returns undefined for a problem of another integration or sender.
   *
   * @param known the alias; else it is read from the latest incident, or from the fingerprint
   */
  async function alertOf({ fingerprint, lastId }: NamedProblem, integration: string, known?: string) {
    const last = asObject((await askStorage({ kind: 'incident', id: lastId }))?.content)
    const alias = known ?? textAt(last, ['alias'])
    if (recognise(createPayload({}, integration, alias)).fingerprint === fingerprint)
      return { integration, alias, last }
    const prefix = recognise(createPayload({}, integration, '-')).fingerprint.slice(0, -1)
    return fingerprint.startsWith(prefix) ? { integration, alias: fingerprint.slice(prefix.length) } : undefined
  }

  async function status({ request, integration }: Asked): Promise<Done> {
    const id = request.params.requestId ?? ''
    const incident = await askStorage({ kind: 'incident', id })
    const payload = asObject(incident?.content)
    if (incident?.source !== NAME || textAt(payload, ['integration']) !== integration)
      throw new DoorError('not_found', 'Request not found. It might not be processed, yet.', NOT_PROCESSED)
    const closed = textAt(payload, ['action']) === 'close'
    const data = {
      isSuccess: true,
      action: closed ? 'Close' : 'Create',
      alertId: id,
      alias: textAt(payload, ['alias']),
      status: closed ? 'Closed alert' : 'Created alert',
      processedAt: incident.created_at,
    }
    return { status: 200, requestId: id, json: { data } }
  }

  /** The words of an alert are those of its create requests, which senders repeat. */
  async function unchanged(): Promise<Done> {
    counts.ignored(NAME, 'same_words')
    return accepted(randomUUID())
  }

  /** A sign of life. Its body is not read. */
  async function ping({ request }: Asked): Promise<Done> {
    const name = await pings.ping(request.params.name ?? '', { signal: 'success' })
    if (name === undefined) throw new DoorError('not_found', 'Heartbeat does not exist')
    return { requestId: randomUUID(), json: { result: 'PONG - Heartbeat received' } }
  }

  /** @param read returns the checked body */
  const route = ([method, path]: Place, work: (asked: Asked) => Promise<Done>, read = noBody) => ({
    method,
    path,
    headers: ['authorization'],
    maxBodyBytes: MAX_BODY_BYTES,
    gzip: true,
    async answer(request: PublicRequest): Promise<PublicAnswer> {
      const began = clock.elapsed()
      const integration = integrationOf(request)
      const { status = 202, requestId, json } = await work({ request, integration, body: read(request) })
      return answerOf(status, { ...json, took: Math.max(SHORTEST, (clock.elapsed() - began) / 1_000), requestId })
    },
  })

  /** Returns the name of the API key. Throws `unauthorized`, `too_many_attempts`. */
  function integrationOf(request: PublicRequest): string {
    const key = /^geniekey +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (key === undefined) throw new DoorError('unauthorized', 'the header Authorization must be GenieKey and a key')
    return authenticate(deps, request, () => ring().nameOf(key))
  }

  return {
    name: NAME,
    isOpen: ({ intake }) => intake.opsgenie.apiKeys.size > 0,
    refuse: ({ status, message, headers }: Refusal) => refusal(status, message, headers),
    routes: [
      route(['POST', '/v2/alerts'], create, bodyWith('message')),
      route(['POST', '/v2/alerts/:id/close'], close, bodyWith()),
      route(['POST', '/v2/alerts/:id/acknowledge'], acknowledge, bodyWith()),
      route(['POST', '/v2/alerts/:id/notes'], note, bodyWith('note')),
      route(['PUT', '/v2/alerts/:id/message'], unchanged),
      route(['PUT', '/v2/alerts/:id/description'], unchanged),
      route(['GET', '/v2/alerts/requests/:requestId'], status),
      ...PING_METHODS.map((method) => route([method, '/v2/heartbeats/:name/ping'], ping)),
    ],
  }
}

const PING_METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const

const accepted = (requestId: string): Done => ({ requestId, json: { result: 'Request will be processed' } })

type Place = readonly [method: PublicRoute['method'], path: string]

const noBody = (_: PublicRequest): Payload => ({})

const bodyWith =
  (required?: 'message' | 'note') =>
  ({ body }: PublicRequest): Payload => {
    const value = jsonOf(body) ?? {}
    if (!isObject(value)) throw new DoorError('body_not_object', 'the body must be a JSON object', { status: 422 })
    const errors = alertErrors(value, required)
    if (errors.length > 0) throw new DoorError('bad_parameter', errors.join('; '), { status: 422 })
    return value
  }

/** Returns the name in the path, of the kind that the query says. */
function nameOf({ request, integration }: Asked): ProblemName {
  const { id = '' } = request.params
  const kind = new URLSearchParams(request.query).get('identifierType') || 'id'
  if (kind === 'alias') return { fingerprint: recognise(createPayload({}, integration, id)).fingerprint }
  if (kind === 'id') return { incident: id }
  if (kind === 'tiny' && /^\d{1,15}$/.test(id)) return { number: Number(id) }
  throw new DoorError('bad_parameter', 'identifierType must be id, tiny or alias', { status: 422 })
}

/** Of a request whose incident is not applied, or unknown: the SDK asks again. */
const NOT_PROCESSED = { headers: { 'X-Opsgenie-Errortype': 'RequestNotProcessed' } }

interface AnswerJson {
  readonly took: number
  readonly requestId: string
}

const answerOf = (status: number, json: AnswerJson, headers: PublicAnswer['headers'] = {}) =>
  jsonAnswer(status, json, {
    'X-Request-Id': json.requestId,
    'X-Response-Time': String(json.took),
    'X-RateLimit-State': 'OK',
    ...headers,
  })

function refusal(status: number, message: string, headers: PublicAnswer['headers'] = {}): PublicAnswer {
  if (status === 413) return jsonAnswer(status, { error: message }, headers)
  const json = { message, took: SHORTEST, requestId: randomUUID() }
  return answerOf(status, json, { ...headers, ...(status === 429 && { 'X-RateLimit-State': 'THROTTLED' }) })
}
