import { z } from 'zod'
import type { PatternPage } from '../api/agent/pattern.ts'
import type { AnswerPage } from '../api/answer.ts'
import type { IncidentDetail, IncidentPage } from '../api/incident.ts'
import type { DigestDetail, DigestPage, DigestPlacePage } from '../api/noise/digest.ts'
import type { Explanation } from '../api/noise/explain.ts'
import type { HeartbeatList } from '../api/noise/heartbeat.ts'
import type { ProblemDetail, ProblemPage } from '../api/noise/problem.ts'
import type { Rehearsal } from '../api/noise/rehearsal.ts'
import type { SilencePage } from '../api/noise/silence.ts'
import type { RunList } from '../api/oncall/run.ts'
import type { OncallOverview } from '../api/oncall/schedules.ts'
import type { Content } from './answer.ts'

/** Asks a route of the admin API, such as `GET /api/admin/problems/:id`, inside the process. Rejects as the route does. */
export type AskAdmin = <T>(
  route: string,
  request?: {
    readonly params?: { readonly [name: string]: string }
    readonly query?: Readonly<Record<string, unknown>>
    readonly body?: unknown
  },
) => Promise<T>

/** A tool that reads. `A`: its arguments, with the page of the list that is asked for. */
interface ReadTool<A = never> {
  readonly about: string
  readonly input: z.ZodType
  read(ask: AskAdmin, given: A & { readonly cursor?: string }): Promise<Content>
}

/** A page is cut at the longest answer, so that more entries seldom help. */
const PAGE = 25
const cursor = { cursor: z.string().max(520).exactOptional() }
const page = { limit: z.int().min(1).max(100).default(PAGE), ...cursor }
const word = z.string().max(200).exactOptional()
const status = z.enum(['firing', 'resolved']).exactOptional()
const id = z.string().max(64).describe("Number of a problem, or an incident's id")

function tool<S extends z.ZodRawShape>(
  about: string,
  shape: S,
  read: ReadTool<z.output<z.ZodObject<S>>>['read'],
): ReadTool {
  return { about, input: z.strictObject(shape), read }
}

const isNumber = (given: string) => /^\d{1,15}$/.test(given)

/** Returns the problem that a number or an incident's id names, with that incident. */
async function find(ask: AskAdmin, given: string) {
  const incident = isNumber(given)
    ? undefined
    : await ask<IncidentDetail>('GET /api/admin/incidents/:id', { params: { id: given } })
  const number = incident === undefined ? given : String(incident.problem ?? '')
  const problem = await ask<ProblemDetail>('GET /api/admin/problems/:id', { params: { id: number } })
  return { problem, incident }
}

/** Tools of the scope `read`, by their names. */
export const READ_TOOLS: { readonly [name: string]: ReadTool } = {
  problems: tool(
    'Problems (all incidents of one fingerprint), firing ones first',
    { status, severity: word, service: word, q: word, acknowledged: z.boolean().exactOptional(), ...page },
    async (ask, query) => {
      const { problems, firing, next_cursor: next } = await ask<ProblemPage>('GET /api/admin/problems', { query })
      return { head: { firing }, entries: problems, next }
    },
  ),
  problem: tool(
    'One problem: escalations, what people did, its latest incidents; with an incident id also that payload',
    { id, ...cursor },
    async (ask, given) => {
      const { problem, incident } = await find(ask, given.id)
      const { incidents, answers, runs = [], claims = [], silence, ...record } = problem
      return {
        head: record,
        entries: [
          ...(incident
            ? [{ content: incident.content, deliveries: incident.deliveries.length, page: incident.oncall }]
            : []),
          ...runs.map((run) => ({ run })),
          ...claims.map((claim) => ({ claim })),
          ...answers.map((answer) => ({ answer })),
          ...incidents.map((each) => ({ incident: each })),
        ],
      }
    },
  ),
  incidents_search: tool(
    'Incidents by full text and filters, newest first',
    {
      ...{ q: word, status, severity: word, service: word },
      notified: z.enum(['message', 'digest', 'nobody', 'waiting', 'silenced']).exactOptional(),
      ...page,
    },
    async (ask, query) => {
      const {
        incidents,
        total,
        unapplied,
        next_cursor: next,
      } = await ask<IncidentPage>('GET /api/admin/incidents', { query })
      return { head: { total, unapplied }, entries: incidents, next }
    },
  ),
  explain: tool(
    'Who was notified of an incident, and why: rules, silences, destinations, page',
    { incident: z.string().max(64), ...cursor },
    async (ask, { incident }) => {
      const { decisions, ...head } = await ask<Explanation>('GET /api/admin/incidents/:id/explain', {
        params: { id: incident },
      })
      return { head, entries: decisions }
    },
  ),
  digests: tool(
    'Digests of storms and groups; with number one digest and its incidents',
    { number: z.int().min(1).exactOptional(), open: z.boolean().exactOptional(), ...page },
    async (ask, { number, ...query }) => {
      if (number === undefined) {
        const { digests, next_cursor: next } = await ask<DigestPage>('GET /api/admin/digests', { query })
        return { entries: digests, next }
      }
      const { open, ...paging } = query
      const params = { number: String(number) }
      const { problem_list, updates, text, ...head } = await ask<DigestDetail>('GET /api/admin/digests/:number', {
        params,
      })
      const path = 'GET /api/admin/digests/:number/incidents'
      const { places, next_cursor: next } = await ask<DigestPlacePage>(path, { params, query: paging })
      return { head, entries: places, next }
    },
  ),
  silences: tool(
    'Silences, active ones first, with what they hold',
    { state: z.enum(['active', 'scheduled', 'ended']).exactOptional(), ...page },
    async (ask, query) => {
      const { silences, next_cursor: next } = await ask<SilencePage>('GET /api/admin/silences', { query })
      return { entries: silences, next }
    },
  ),
  heartbeats: tool('Expected signals and whether they come', cursor, async (ask) => {
    const { heartbeats } = await ask<HeartbeatList>('GET /api/admin/heartbeats')
    return { entries: heartbeats }
  }),
  log_patterns: tool(
    'Log patterns that the agent knows, last seen first',
    { service: word, since: z.iso.datetime({ offset: true }).exactOptional(), ...cursor },
    async (ask, { service, since = '1970-01-01T00:00:00Z' }) => {
      const { patterns, total } = await ask<PatternPage>('GET /api/agent/patterns', { query: { limit: MOST_PATTERNS } })
      const fits = ({ last_seen, service: of }: PatternPage['patterns'][number]) =>
        Date.parse(last_seen) >= Date.parse(since) && (service === undefined || of === service)
      return { head: { total }, entries: patterns.filter(fits).map(({ recent, ...pattern }) => pattern) }
    },
  ),
  who_is_on_call: tool(
    'Who is paged now for a critical incident of the service, open escalations, who acknowledged last',
    { service: word, ...cursor },
    async (ask, { service = '' }) => {
      const payload = { title: 'Who is on call?', service, severity: 'critical' }
      const [{ decisions }, overview, { runs, open }, { oncall }, { answers }] = await Promise.all([
        ask<Explanation>('POST /api/admin/explain', { body: { payload } }),
        ask<OncallOverview>('GET /api/admin/oncall'),
        ask<RunList>('GET /api/admin/oncall/runs'),
        ask<{ readonly oncall: { readonly armed: number; readonly overdue: number } }>('GET /api/admin/stats'),
        ask<AnswerPage>('GET /api/admin/answers', { query: { limit: PAGE } }),
      ])
      const last = answers.find(({ action, result }) => action === 'acknowledge' && result === 'done')
      return {
        head: { armed: oncall.armed, overdue: oncall.overdue, open_escalations: open },
        entries: [
          ...decisions.filter(({ stage }) => stage === 'on-call').map((step) => ({ step })),
          // Their calendars are addresses that open without a secret.
          ...overview.schedules.map(({ feed, ...schedule }) => ({ schedule })),
          ...runs.filter(({ ended_at }) => ended_at === null).map((run) => ({ run })),
          ...(last ? [{ last_acknowledgement: last }] : []),
        ],
      }
    },
  ),
  rehearse: tool(
    'Plays the stored history under changed routes, silences or noise: begins with config (YAML), shows with id',
    {
      config: z.string().max(50_000).exactOptional(),
      hours: z.int().min(1).max(720).exactOptional(),
      id: z.uuid().exactOptional(),
      ...cursor,
    },
    async (ask, { id: of, config, hours }) => {
      const { result, warnings, ...head } = of
        ? await ask<Rehearsal>('GET /api/admin/rehearsals/:id', { params: { id: of } })
        : await ask<Rehearsal>('POST /api/admin/rehearsals', { body: { config, ...(hours && { hours }) } })
      const { changes = [], in_force, proposed, ...rest } = result ?? {}
      return {
        head: { ...head, ...rest },
        entries: [
          ...warnings.map((warning) => ({ warning })),
          ...changes.map(({ incidents, ...change }) => ({ ...change, examples: incidents.slice(0, 3) })),
          ...(in_force && proposed ? [{ in_force }, { proposed }] : []),
        ],
      }
    },
  ),
}

const MOST_PATTERNS = 1_000
