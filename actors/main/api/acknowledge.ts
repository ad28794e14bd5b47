import type { AcknowledgeAnswer, Done } from '../../../src/api/incident.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { AdminRequest, AdminRoute, PublicAnswer, PublicRequest, PublicRoute } from '../../../src/http/contract.ts'
import { checkLink, problemIn } from '../../../src/oncall/ack-links.ts'
import {
  ACK_HEADERS,
  type AckPage,
  confirmPage,
  donePage,
  failurePage,
  refusalPage,
  reusedPage,
} from '../../../src/oncall/ack-page.ts'
import { personOf } from '../../../src/oncall/person.ts'
import { isObject } from '../../../src/text/json-object.ts'
import type { Doors } from '../doors/index.ts'
import { objectOf } from './parameters.ts'
import { type RouteDeps, route } from './route.ts'

export interface AckDeps extends Pick<RouteDeps, 'askStorage' | 'now'> {
  /** Returns the key that signs the links; undefined: none exists yet, so no link is valid. */
  key(): Uint8Array | undefined | Promise<Uint8Array | undefined>
}

interface ResolveDeps extends Pick<RouteDeps, 'askStorage' | 'settings'> {
  readonly doors: Pick<Doors, 'personResolved'>
}

/** The form holds one name. */
const MAX_FORM_BYTES = 4_096
/** Characters of a note. */
const MAX_NOTE = 2_000
const FORM = 'application/x-www-form-urlencoded'

/**
 * The pages behind acknowledge links: GET shows a form, only POST acknowledges, because mail scanners follow links. The
 * signature in the link replaces the gateway secret.
 */
export const ackRoutes = (deps: AckDeps): PublicRoute[] =>
  pageRoutes('/api/ack/:id', {
    ask: (request) => ask(deps, request),
    act: (request) => acknowledge(deps, request),
  })

interface PageWork {
  /** Changes nothing: programs that open links get this. */
  ask(request: PublicRequest): Promise<AckPage>
  act(request: PublicRequest): Promise<AckPage>
}

/** Returns the routes of a page with a form. */
export function pageRoutes(path: string, { ask, act }: PageWork): PublicRoute[] {
  const answer = (work: PageWork['ask']) => async (request: PublicRequest) =>
    answerOf(await work(request).catch(unavailable))
  const route = { path, unavailable: () => answerOf(failurePage()) }
  return [
    { ...route, method: 'GET', answer: answer(ask) },
    {
      ...{ ...route, method: 'POST', headers: ['content-type'], maxBodyBytes: MAX_FORM_BYTES },
      answer: answer(act),
    },
  ]
}

/** Acknowledge and resolve for operators with the gateway secret. */
export function ackAdminRoutes(deps: ResolveDeps): AdminRoute[] {
  const path = '/api/admin/incidents/:id'
  return [
    route('POST', `${path}/ack`, (request) => ackByOperator(deps, request)),
    route('POST', `${path}/resolve`, (request) => resolve(deps, request)),
  ]
}

async function ask(deps: AckDeps, request: PublicRequest): Promise<AckPage> {
  const state = await linkState(deps, request)
  if (state !== 'valid') return refusalPage(state)
  const incident = await deps.askStorage({ kind: 'record', id: request.params.id ?? '' })
  if (incident !== undefined) return confirmPage(incident)
  const number = problemIn(request.query)
  const problem = number === undefined ? undefined : await deps.askStorage({ kind: 'problem', id: number })
  if (problem?.state !== 'firing') return refusalPage('unknown')
  return confirmPage({ ...problem, status: problem.state, created_at: problem.opened_at })
}

async function acknowledge(deps: AckDeps, request: PublicRequest): Promise<AckPage> {
  const state = await linkState(deps, request)
  if (state !== 'valid') return refusalPage(state)
  const form = formOf(request)
  if (form === undefined) return refusalPage('unsupported')
  const by = personOf(form.get('name') ?? '') ?? 'a person with the link'
  const result = await deps.askStorage({
    ...{ kind: 'acknowledge', id: request.params.id ?? '', by, problem: problemIn(request.query), link: true },
  })
  if (result.kind === 'unknown') return refusalPage('unknown')
  return result.kind === 'already' ? reusedPage(result.incident) : donePage(result.incident)
}

/** Returns the fields of a form; undefined: the body is something else. */
export function formOf({ body, headers }: PublicRequest): URLSearchParams | undefined {
  const isForm = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === FORM
  return body.length > 0 && !isForm ? undefined : new URLSearchParams(body.toString())
}

async function linkState({ key, now }: AckDeps, { params, query }: PublicRequest) {
  const known = await key()
  return known === undefined ? 'forged' : checkLink(known, { id: params.id ?? '', query }, now())
}

/** Answers a failure of storage with a page. Throws any other error: a bug, answered 500. */
function unavailable(error: unknown): AckPage {
  if (error instanceof Error && 'code' in error) return failurePage()
  throw error
}

function answerOf({ status, body }: AckPage): PublicAnswer {
  return { status, body, headers: status === 503 ? { ...ACK_HEADERS, 'Retry-After': '2' } : ACK_HEADERS }
}

async function ackByOperator(deps: ResolveDeps, { params, body }: AdminRequest): Promise<AcknowledgeAnswer> {
  const [id, by, note] = [params.id ?? '', operatorOf(body), noteIn(deps, body)]
  const result = await deps.askStorage({ kind: 'acknowledge', id, by })
  if (result.kind === 'unknown') throw new CodedError('not_found', 'no incident has this id')
  if (note) await note((await deps.askStorage({ kind: 'namedProblem', name: { incident: id } }))?.id)
  const { acked_at, acked_by } = result.incident
  return { ok: true, already: result.kind === 'already', acked_at, acked_by }
}

/** Reads `{by?}`. Throws bad_parameter. */
export function operatorOf(body: unknown): string {
  const { by } = body === undefined ? {} : objectOf(body, 'the body')
  if (by === undefined || by === null) return 'an operator'
  const person = typeof by === 'string' ? personOf(by) : undefined
  if (person === undefined)
    throw new CodedError('bad_parameter', 'by must be a name; those that begin with mcp: are of tokens')
  return person
}

/** Reads the text of a note. Throws bad_parameter. */
export function noteOf(given: unknown, name: string): { readonly text: string } {
  const text = typeof given === 'string' ? given.trim() : ''
  if (text === '' || text.length > MAX_NOTE)
    throw new CodedError('bad_parameter', `${name} must be 1 to ${MAX_NOTE} characters`)
  return { text }
}

/**
 * Returns what writes the `note` of an order that a person gave; undefined: the body has none. Throws bad_parameter, also where no
 * history is kept.
 */
export function noteIn(
  { askStorage, settings }: Pick<RouteDeps, 'askStorage' | 'settings'>,
  body: AdminRequest['body'],
): ((problem: number | undefined) => Promise<void>) | undefined {
  if (!isObject(body) || body.note === undefined || body.note === '') return undefined
  const [note, by] = [noteOf(body.note, 'note'), operatorOf(body)]
  if (!settings().brief.enable) throw new CodedError('bad_parameter', 'brief.enable is false: no note is kept')
  return async (problem) => {
    if (problem !== undefined) await askStorage({ kind: 'brief.addNote', note: { problem, ...note, by } })
  }
}

async function resolve({ doors, ...deps }: ResolveDeps, { params, body }: AdminRequest): Promise<Done> {
  const { askStorage } = deps
  const [{ id = '' }, note] = [params, noteIn(deps, body)]
  if (!(await askStorage({ kind: 'resolve', id, by: operatorOf(body) })))
    throw new CodedError('not_found', 'no incident has this id')
  if (note) await note((await askStorage({ kind: 'namedProblem', name: { incident: id } }))?.id)
  const incident = await askStorage({ kind: 'record', id })
  if (incident?.source === 'alertmanager') doors.personResolved(incident.fingerprint)
  return { ok: true }
}
