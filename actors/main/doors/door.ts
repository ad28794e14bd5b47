import type { Replica } from '../../../src/cluster/contract.ts'
import { CodedError, ERRORS, type ErrorCode } from '../../../src/domain/errors.ts'
import { type LoginThrottle, secretOf } from '../../../src/http/auth.ts'
import type { PublicAnswer, PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { credentialsOf } from '../../../src/http/credentials.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { Log } from '../../../src/telemetry/log.ts'
import type { AgentQueries } from '../../messages/agent-queries.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { Pings } from '../pings.ts'
import type { DoorCounts } from './counts.ts'
import type { DoorSubmit } from './submit.ts'

/** Dependencies of the doors. */
export interface DoorDeps {
  readonly submit: DoorSubmit
  readonly askStorage: Ask<StorageQueries>
  readonly askAgent: Ask<AgentQueries>
  readonly clock: Clock
  readonly log: Log
  /** The settings that run now. */
  settings(): SystemSettings
  /** All that share the storage, this one included; empty: no other can. */
  replicas(): readonly Pick<Replica, 'name' | 'address'>[]
  /** Wrong keys of all doors, with those of the gateway secret. */
  readonly throttle: LoginThrottle
  readonly counts: DoorCounts
  readonly pings: Pings
  /** Markers of what was changed. */
  readonly changes: { store(body: unknown): Promise<number> }
}

/** A request that a door does not take, and why. */
export interface Refusal {
  readonly code: ErrorCode
  readonly status: number
  /** For the sender. */
  readonly message: string
  /** All that is wrong, a sentence each; absent: `message` says it. */
  readonly errors?: readonly string[] | undefined
  /** Headers of every refusal of its kind: `Retry-After`, `WWW-Authenticate`; and those of its own. */
  readonly headers: { readonly [name: string]: string }
}

interface DoorErrorOptions extends Partial<Pick<Refusal, 'status' | 'errors' | 'headers'>> {
  /** After which to try again. */
  readonly retrySeconds?: number
}

/** Paths in the shape of another program's API. */
export interface Door {
  readonly name: string
  /** A door that is off answers like an unknown path. */
  isOpen(settings: SystemSettings): boolean
  /** Returns a refusal in the shape of the API. */
  refuse(refusal: Refusal, request?: PublicRequest): PublicAnswer
  readonly routes: readonly Omit<PublicRoute, 'unavailable'>[]
}

/** A refusal that says more than its code. */
export class DoorError extends CodedError {
  readonly options: DoorErrorOptions

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: DoorErrorOptions = {}) {
    super(code, message)
    this.options = options
  }
}

/**
 * Returns the key that a request shows, as `find` knows it. Throws `unauthorized` for one that it does not know, and
 * `too_many_attempts` while the client's network has shown too many of those.
 *
 * @param find returns undefined for a wrong key
 */
export function authenticate<T>(
  { throttle, log }: Pick<DoorDeps, 'throttle' | 'log'>,
  { network, address }: Pick<PublicRequest, 'network' | 'address'>,
  find: () => T | undefined,
): T {
  const retrySeconds = throttle.blockedForSeconds(network)
  if (retrySeconds > 0) throw new DoorError('too_many_attempts', undefined, { retrySeconds })
  const found = find()
  if (found !== undefined) return found
  if (throttle.failed(network)) log.warn({ address }, 'an address sent too many wrong keys; it is refused for a minute')
  throw new DoorError('unauthorized')
}

/** Lets in a sender with the intake token or the gateway secret; all without a token. Throws as `authenticate`. */
export function admitSender(
  { settings, ...deps }: Pick<DoorDeps, 'settings' | 'throttle' | 'log'>,
  request: PublicRequest,
): void {
  const { gatewaySecret, http } = settings()
  const token = secretOf(http.intakeToken)
  // Before wrong keys count, as for `POST /api/incidents`: those of a neighbour must not keep alerts out.
  if (token === undefined || credentialsOf(request.headers).some((key) => token.matches(key))) return
  admitHolder(deps, request, gatewaySecret)
}

/** Lets in a request with the gateway secret. Throws as `authenticate`. */
export function admitHolder(
  deps: Pick<DoorDeps, 'throttle' | 'log'>,
  request: PublicRequest,
  gatewaySecret: string,
): void {
  const secret = secretOf(gatewaySecret)
  const given = credentialsOf(request.headers)
  if (given.length === 0) throw new DoorError('unauthorized')
  authenticate(deps, request, () => given.some((key) => secret?.matches(key)) || undefined)
}

/** Returns what is made of the settings that run now; it is made again after a reload alone. */
export function perSettings<T>(settings: () => SystemSettings, make: (settings: SystemSettings) => T): () => T {
  let last: { readonly of: SystemSettings; readonly made: T } | undefined
  return () => {
    const of = settings()
    if (last?.of !== of) last = { of, made: make(of) }
    return last.made
  }
}

/** Returns the routes of a door: counted, closed while the door is off, with refusals in the door's shape. */
export function publicRoutesOf(door: Door, { settings, counts, log }: DoorDeps): PublicRoute[] {
  const count = counts.of(door.name)
  const refused = (error: unknown, request?: PublicRequest): PublicAnswer => {
    const refusal = refusalOf(error)
    if (refusal.code === 'internal') log.error({ err: error, door: door.name }, 'a request failed because of a bug')
    return door.refuse(refusal, request)
  }
  return door.routes.map((route) => ({
    ...route,
    unavailable: refused,
    async answer(request) {
      if (!door.isOpen(settings())) throw new CodedError('not_found')
      const answer = await route.answer(request).catch((error) => refused(error, request))
      count(answer.status)
      return answer
    },
  }))
}

/** Looks at the code alone: errors from other threads lose their class. */
export function refusalOf(error: unknown): Refusal {
  const { code: given, message } = error as { code?: unknown; message: string }
  const known = typeof given === 'string' && Object.hasOwn(ERRORS, given)
  const code = known ? (given as ErrorCode) : 'internal'
  const {
    status = ERRORS[code].status,
    retrySeconds,
    errors,
    headers,
  } = error instanceof DoorError ? error.options : {}
  const seconds = retrySeconds ?? (status === 503 ? (RETRY_SECONDS[code] ?? 1) : undefined)
  return {
    code,
    status,
    message: known ? message : ERRORS.internal.message,
    errors,
    headers: {
      ...(seconds !== undefined && { 'Retry-After': String(seconds) }),
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...headers,
    },
  }
}

const RETRY_SECONDS: { readonly [code: string]: number } = { storage_full: 10, shutting_down: 2 }

/** Returns the Content-Type of a request without its parameters, in lower case; its route must name the header. */
export const typeOf = ({ headers }: Pick<PublicRequest, 'headers'>): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Returns a function that makes answers of a Content-Type. Nothing of a door may be stored by a proxy. */
export const answersOf =
  (type: string) =>
  (status: number, body: PublicAnswer['body'], headers: PublicAnswer['headers'] = {}): PublicAnswer => ({
    ...{ status, body, headers: { 'Content-Type': type, 'Cache-Control': 'no-store', ...headers } },
  })

/** Answers with a text that is JSON already. */
export const textOfJson = answersOf('application/json')
export const textAnswer = answersOf('text/plain; charset=utf-8')

/** Success without a body, as Alertmanager's API answers. */
export const EMPTY_ANSWER = textOfJson(200, '')

export const jsonAnswer = (status: number, json: unknown, headers?: PublicAnswer['headers']): PublicAnswer =>
  textOfJson(status, JSON.stringify(json), headers)
