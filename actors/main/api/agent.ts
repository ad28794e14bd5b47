import { systemPrompt } from '../../../src/analysis/prompt.ts'
import type { AgentStatus } from '../../../src/api/agent/agent.ts'
import type { GraceRequest } from '../../../src/api/agent/log-service.ts'
import type { PatternLabel } from '../../../src/api/agent/pattern.ts'
import { CodedError, type ErrorCode } from '../../../src/domain/errors.ts'
import { VERDICTS } from '../../../src/domain/pattern-verdict.ts'
import type { AdminAnswer, AdminRequest, AdminRoute } from '../../../src/http/contract.ts'
import type { AgentQueries, AgentQuery } from '../../messages/agent-queries.ts'
import type { Ask } from '../../messages/query.ts'
import { objectOf, wholeIn } from './parameters.ts'
import { route as jsonRoute } from './route.ts'

type QueryOf = (request: AdminRequest) => AgentQuery

/** Patterns of one answer. */
const LISTED = { fallback: 1_000, max: 100_000 }
const MOST_TAGS = 20
const LONGEST_TAG = 100

const CLEARED = { ok: true, cleared: 0 }
const NO_EVENTS = { events: [] }

/**
 * Routes under /api/agent. `askAgent` is undefined while the agent is not enabled: then each route has the given answer or error,
 * 404 agent_off where none is given.
 */
export function agentRoutes(askAgent: Ask<AgentQueries> | undefined): AdminRoute[] {
  function route(place: string, queryOf: QueryOf, off: object | ErrorCode = 'agent_off'): AdminRoute {
    const [method, path] = place.split(' ') as [AdminRoute['method'], string]
    return {
      method,
      path: `/api/agent/${path}`,
      async answer(request): Promise<AdminAnswer> {
        const query = queryOf(request)
        if (!askAgent && typeof off === 'string') throw new CodedError(off)
        return { status: query.kind === 'push' ? 202 : 200, json: askAgent ? await askAgent(query) : off }
      },
    }
  }
  const logs: AdminRoute = {
    ...route('POST logs/:source', ({ params, body, contentType }) => ({
      kind: 'push',
      source: params.source ?? '',
      contentType,
      body: body instanceof Uint8Array ? body : new Uint8Array(),
    })),
    takes: 'bytes',
  }
  const off: AgentStatus = { enabled: false, mode: null, lag: 0, lines_per_s: 0, patterns: 0, sources: [] }
  const listed: QueryOf = ({ query }) => ({ kind: 'patterns', limit: wholeIn(query, 'limit', LISTED) })
  return [
    route('GET status', () => ({ kind: 'status' }), off),
    route('GET patterns', listed, { patterns: [], total: 0 }),
    route('DELETE patterns', () => ({ kind: 'clear-patterns' }), CLEARED),
    route('GET patterns/:id', ({ params }) => ({ kind: 'pattern', id: params.id ?? '' }), 'not_found'),
    route('POST patterns/:id', ({ params, body }) => ({ kind: 'label', id: params.id ?? '', label: labelOf(body) })),
    route('DELETE patterns/:id', ({ params }) => ({ kind: 'forget', id: params.id ?? '' }), 'not_found'),
    route('GET services', () => ({ kind: 'services' }), { services: [] }),
    route('POST services/:name/grace', ({ params, body }) => ({ ...graceOf(body), name: params.name ?? '' })),
    route('GET shadow', () => ({ kind: 'shadow' }), NO_EVENTS),
    route('GET shadow/stats', () => ({ kind: 'shadow-stats' }), { events: 0 }),
    route('DELETE shadow', () => ({ kind: 'clear-shadow' }), CLEARED),
    route('GET detect', () => ({ kind: 'detect' }), NO_EVENTS),
    route('GET detect/stats', () => ({ kind: 'detect-stats' }), { events: 0 }),
    route('GET detect/:id', ({ params }) => ({ kind: 'detect-event', id: params.id ?? '' }), 'not_found'),
    route('DELETE detect', () => ({ kind: 'clear-detect' }), CLEARED),
    route('POST detect/flush', () => ({ kind: 'flush-detect' }), { ok: true, events: 0 }),
    route('POST flush', () => ({ kind: 'flush' })),
    jsonRoute('GET', '/api/agent/ai/system-prompt', () => ({ system_prompt: systemPrompt() })),
    logs,
  ]
}

/** Reads `{verdict?, tags?}`. Throws bad_parameter unless one of them is there. */
function labelOf(body: unknown): PatternLabel {
  const { verdict: given, tags } = objectOf(body, 'the body')
  const verdict = VERDICTS.find((each) => each === given)
  if (given !== undefined && !verdict)
    throw new CodedError('bad_parameter', `verdict must be one of ${VERDICTS.join(', ')}`)
  if (tags !== undefined && !isTags(tags))
    throw new CodedError('bad_parameter', `tags must be a list of at most ${MOST_TAGS} texts`)
  if (!verdict && !tags) throw new CodedError('bad_parameter', 'the body must hold a verdict or tags')
  return { ...(verdict && { verdict }), ...(tags !== undefined && { tags }) }
}

function isTags(value: unknown): value is string[] {
  const isTag = (tag: unknown) => typeof tag === 'string' && tag.length <= LONGEST_TAG
  return Array.isArray(value) && value.length <= MOST_TAGS && value.every(isTag)
}

function graceOf(body: unknown): GraceRequest & { kind: 'grace' } {
  const { action } = objectOf(body, 'the body')
  if (action === 'end' || action === 'restart') return { kind: 'grace', action }
  throw new CodedError('bad_parameter', 'action must be end or restart')
}
