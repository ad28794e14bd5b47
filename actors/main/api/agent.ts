import { systemPrompt } from '../../../src/analysis/prompt.ts'
import type { AgentStatus } from '../../../src/api/agent/agent.ts'
import type { GraceRequest } from '../../../src/api/agent/log-service.ts'
import type { PatternLabel } from '../../../src/api/agent/pattern.ts'
import { CodedError } from '../../../src/domain/errors.ts'
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

/** Routes under /api/agent. Undefined: the agent is not enabled; lists are empty, changes are answered 404 agent_off. */
export function agentRoutes(askAgent: Ask<AgentQueries> | undefined): AdminRoute[] {
  const answerOf = async (query: AgentQuery): Promise<AdminAnswer> => ({
    status: query.kind === 'push' ? 202 : 200,
    json: askAgent ? await askAgent(query) : withoutAgent(query),
  })
  const route = (method: AdminRoute['method'], path: string, queryOf: QueryOf): AdminRoute => ({
    method,
    path: `/api/agent/${path}`,
    answer: async (request) => answerOf(queryOf(request)),
  })
  const logs: AdminRoute = {
    ...route('POST', 'logs/:source', ({ params, body, contentType }) => ({
      kind: 'push',
      source: params.source ?? '',
      contentType,
      body: body instanceof Uint8Array ? body : new Uint8Array(),
    })),
    takes: 'bytes',
  }
  return [
    route('GET', 'status', () => ({ kind: 'status' })),
    route('GET', 'patterns', ({ query }) => ({ kind: 'patterns', limit: wholeIn(query, 'limit', LISTED) })),
    route('DELETE', 'patterns', () => ({ kind: 'clear-patterns' })),
    route('GET', 'patterns/:id', ({ params }) => ({ kind: 'pattern', id: params.id ?? '' })),
    route('POST', 'patterns/:id', ({ params, body }) => ({ kind: 'label', id: params.id ?? '', label: labelOf(body) })),
    route('DELETE', 'patterns/:id', ({ params }) => ({ kind: 'forget', id: params.id ?? '' })),
    route('GET', 'services', () => ({ kind: 'services' })),
    route('POST', 'services/:name/grace', ({ params, body }) => ({ ...graceOf(body), name: params.name ?? '' })),
    route('GET', 'shadow', () => ({ kind: 'shadow' })),
    route('GET', 'shadow/stats', () => ({ kind: 'shadow-stats' })),
    route('DELETE', 'shadow', () => ({ kind: 'clear-shadow' })),
    route('GET', 'detect', () => ({ kind: 'detect' })),
    route('GET', 'detect/stats', () => ({ kind: 'detect-stats' })),
    route('GET', 'detect/:id', ({ params }) => ({ kind: 'detect-event', id: params.id ?? '' })),
    route('DELETE', 'detect', () => ({ kind: 'clear-detect' })),
    route('POST', 'detect/flush', () => ({ kind: 'flush-detect' })),
    route('POST', 'flush', () => ({ kind: 'flush' })),
    jsonRoute('GET', '/api/agent/ai/system-prompt', () => ({ system_prompt: systemPrompt() })),
    logs,
  ]
}

function withoutAgent(query: AgentQuery): ReturnType<AgentQueries[keyof AgentQueries]> | AgentStatus {
  switch (query.kind) {
    case 'status':
      return { enabled: false, mode: null, lag: 0, lines_per_s: 0, patterns: 0, sources: [] }
    case 'patterns':
      return { patterns: [], total: 0 }
    case 'services':
      return { services: [] }
    case 'shadow':
    case 'detect':
      return { events: [] }
    case 'shadow-stats':
    case 'detect-stats':
      return { events: 0 }
    case 'clear-patterns':
    case 'clear-shadow':
    case 'clear-detect':
      return { ok: true, cleared: 0 }
    case 'flush-detect':
      return { ok: true, events: 0 }
    case 'pattern':
    case 'forget':
    case 'detect-event':
      throw new CodedError('not_found')
    case 'around':
    case 'label':
    case 'grace':
    case 'flush':
    case 'push':
      throw new CodedError('agent_off')
    default:
      return query satisfies never
  }
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
