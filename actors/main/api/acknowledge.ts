import type { AcknowledgeAnswer, Done } from '../../../src/api/incident.ts'
import type { ProblemDetail } from '../../../src/api/noise/problem.ts'
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

/** A link whose signature is right. `problem`: that of its incident. */
export interface OpenedLink {
  readonly id: string
  readonly key: Uint8Array
  readonly problem: number | undefined
  readonly request: PublicRequest
}

interface LinkPage extends Pick<AckDeps, 'key' | 'now'> {
  /** With one parameter: what the link is about. */
  readonly path: string
  readonly purpose: 'ack' | 'answer' | 'page'
  isOpen?(): boolean
  /** Changes nothing: programs that open links get this. */
  ask(link: OpenedLink): Promise<AckPage>
  act(link: OpenedLink, form: URLSearchParams): Promise<AckPage>
}

/**
 * Returns the routes of a page behind a link: GET shows a form, only POST acts, because mail scanners follow links. The signature in
 * the link replaces the gateway secret.
 */
export function linkRoutes({ path, purpose, isOpen = () => true, key: keyOf, now, ask, act }: LinkPage): PublicRoute[] {
  const answer = (show: (link: OpenedLink) => Promise<AckPage>) => async (request: PublicRequest) => {
    const opened = async () => {
      if (!isOpen()) return refusalPage('closed')
      const [id = ''] = Object.values(request.params)
      const key = await keyOf()
      if (key === undefined) return refusalPage('forged')
      const state = checkLink(key, { id, query: request.query, purpose }, now())
      return state === 'valid' ? show({ id, key, problem: problemIn(request.query), request }) : refusalPage(state)
    }
    return answerOf(await opened().catch(unavailable))
  }
  const acted = async (link: OpenedLink) => {
    const form = formOf(link.request)
    return form === undefined ? refusalPage('unsupported') : act(link, form)
  }
  const route = { path, unavailable: () => answerOf(failurePage()) }
  return [
    { ...route, method: 'GET', answer: answer(ask) },
    { ...route, method: 'POST', headers: ['content-type'], maxBodyBytes: MAX_FORM_BYTES, answer: answer(acted) },
  ]
}

/** The pages behind acknowledge links. */
export const ackRoutes = ({ askStorage, key, now }: AckDeps): PublicRoute[] =>
  linkRoutes({
    ...{ path: '/api/ack/:id', purpose: 'ack', key, now },
    async ask({ id, problem: number }) {
      const incident = await askStorage({ kind: 'record', id })
      if (incident !== undefined) return confirmPage(incident)
      const problem = number === undefined ? undefined : await askStorage({ kind: 'problem', id: number })
      return problem?.state === 'firing' ? confirmPage(recordOf(problem)) : refusalPage('unknown')
    },
    async act({ id, problem }, form) {
      const by = personOf(form.get('name') ?? '') ?? 'a person with the link'
      const result = await askStorage({ kind: 'acknowledge', id, by, problem, link: true })
      if (result.kind === 'unknown') return refusalPage('unknown')
      return result.kind === 'already' ? reusedPage(result.incident) : donePage(result.incident)
    },
  })

/** Returns a problem as a page shows an incident. */
export const recordOf = (problem: ProblemDetail) => ({
  ...{ ...problem, status: problem.state, created_at: problem.opened_at },
})

/** Acknowledge and resolve for operators with the gateway secret. */
export function ackAdminRoutes(deps: ResolveDeps): AdminRoute[] {
  const path = '/api/admin/incidents/:id'
  return [
    route('POST', `${path}/ack`, (request) => ackByOperator(deps, request)),
    route('POST', `${path}/resolve`, (request) => resolve(deps, request)),
  ]
}

/** Returns the fields of a form; undefined: the body is something else. */
function formOf({ body, headers }: PublicRequest): URLSearchParams | undefined {
  const isForm = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() === FORM
  return body.length > 0 && !isForm ? undefined : new URLSearchParams(body.toString())
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
