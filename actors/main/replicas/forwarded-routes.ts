import { CodedError } from '../../../src/domain/errors.ts'
import type {
  AdminAnswer,
  AdminRequest,
  AdminRoute,
  PublicAnswer,
  PublicRequest,
  PublicRoute,
} from '../../../src/http/contract.ts'
import type { HttpResponse } from '../../../src/outbound/http-call.ts'
import { CLIENT_HEADERS, FORWARDED, type LeaderClient } from './leader-client.ts'

/** Each replica has a configuration of its own, and shows it without a leader. */
const OWN = ['/api/admin/config']

/** Headers of the leader's answer that the client gets; their spelling is that of the front's own headers. */
const PASSED = [
  'Allow',
  'Cache-Control',
  'Content-Security-Policy',
  'Content-Type',
  'ETag',
  'Ping-Body-Limit',
  'Referrer-Policy',
  'Retry-After',
  'Warning',
  'WWW-Authenticate',
  'X-Frame-Options',
  'X-Opsgenie-Errortype',
  'X-RateLimit-State',
  'X-Request-Id',
  'X-Response-Time',
]

/** Returns routes that a follower answers by asking the leader, and the leader as before. */
export function forwardAdmin(routes: readonly AdminRoute[], client: LeaderClient): AdminRoute[] {
  return routes.map((route) => {
    if (OWN.includes(route.path)) return route
    return {
      ...route,
      headers: [FORWARDED],
      answer: (request) => {
        if (client.leads) return route.answer(request)
        if (isForwarded(request)) client.mustLead()
        return askAdmin(client, route, request)
      },
    }
  })
}

/** The same for routes that are not gated; the leader authenticates their clients. */
export function forwardPublic(routes: readonly PublicRoute[], client: LeaderClient): PublicRoute[] {
  return routes.map((route) => {
    const { unavailable } = route
    if (unavailable === undefined) return route
    return {
      ...route,
      headers: [...(route.headers ?? []), ...CLIENT_HEADERS],
      answer: async (request) => {
        if (client.leads) return route.answer(client.clientOf(request))
        if (isForwarded(request)) return unavailable(new CodedError('peer_down'))
        return askPublic(client, route, request).catch((error) => {
          if (error instanceof CodedError) return unavailable(error)
          throw error
        })
      },
    }
  })
}

const isForwarded = ({ headers }: Pick<AdminRequest, 'headers'>) => (headers[FORWARDED] ?? '') !== ''

async function askAdmin(client: LeaderClient, route: AdminRoute, request: AdminRequest): Promise<AdminAnswer> {
  const { params, query, body, contentType } = request
  const search = query.toString()
  const response = await client.send({
    method: route.method,
    path: pathOf(route.path, params) + (search === '' ? '' : `?${search}`),
    headers: typeOf(body, contentType),
    body: bodyOf(body),
  })
  return { status: response.status, json: jsonOf(client, response), headers: passed(response, ['Content-Type']) }
}

async function askPublic(
  client: LeaderClient,
  { method, path, headers: names = [] }: PublicRoute,
  { params, query, headers, body, address, network }: PublicRequest,
): Promise<PublicAnswer> {
  const response = await client.send({
    method,
    path: pathOf(path, params) + (query === '' ? '' : `?${query}`),
    headers: Object.fromEntries(names.flatMap((name) => pair(name, headers[name] || undefined))),
    body: method === 'GET' || method === 'DELETE' ? null : body,
    client: { address, network },
  })
  return { status: response.status, body: response.body, headers: passed(response) }
}

const typeOf = (body: unknown, given: string): { [name: string]: string } =>
  body === undefined && given === '' ? {} : { 'content-type': given || 'application/json' }

const pathOf = (path: string, params: AdminRequest['params']) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function bodyOf(body: unknown): string | Uint8Array | null {
  if (body === undefined) return null
  return body instanceof Uint8Array ? body : JSON.stringify(body)
}

function jsonOf(client: LeaderClient, { status, body }: HttpResponse): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (error) {
    const { name, address } = client.leader()
    const cause = `replica ${name} leads, and at ${address} something else answers (${status}, not JSON)`
    throw new CodedError('peer_down', `${cause}: check replica.address there`, { cause: error })
  }
}

/** @param except names that the answer's own headers give */
function passed({ headers }: HttpResponse, except: readonly string[] = []): { [name: string]: string } {
  const named = PASSED.filter((name) => !except.includes(name))
  return Object.fromEntries(named.flatMap((name) => pair(name, headers[name.toLowerCase()])))
}

const pair = (name: string, value: string | undefined) => (value === undefined ? [] : [[name, value] as const])
