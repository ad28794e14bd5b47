import { z } from 'zod'
import type { PatternPage } from '../api/agent/pattern.ts'
import type { AnswerPage } from '../api/answer.ts'
import type { Brief, NoteList } from '../api/brief.ts'
import type { IncidentDetail } from '../api/incident.ts'
import type { Explanation } from '../api/noise/explain.ts'
import type { ProblemDetail } from '../api/noise/problem.ts'
import type { Rehearsal } from '../api/noise/rehearsal.ts'
import type { RunList } from '../api/oncall/run.ts'
import type { OncallOverview } from '../api/oncall/schedules.ts'
import type { Content } from './answer.ts'

interface Asked {
  readonly params?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: unknown }
  readonly body?: unknown
}

/** Asks a route of the admin API, such as `GET /api/admin/problems/:id`, inside the process. Rejects as the route does. */
export type AskAdmin = <T>(route: string, asked?: Asked) => Promise<T>

/** A tool that reads. `A`: its arguments, with the page of the list that is asked for. */
interface ReadTool<A = never> {
  readonly about: string
  readonly input: z.ZodType
  read(ask: AskAdmin, given: A): Promise<Content>
}

interface List {
  readonly [key: string]: readonly object[]
}

const cursor = { cursor: z.string().max(520).exactOptional() }
/** A page is cut at the longest answer, so that more entries seldom help. */
const page = { limit: z.int().min(1).max(100).default(25), ...cursor }
const id = z.string().max(64).describe("Number of a problem, or an incident's id")
const word = z.string().max(200).exactOptional()
const status = z.enum(['firing', 'resolved']).exactOptional()
const MOST_PATTERNS = 1_000

function tool<S extends z.ZodRawShape>(
  about: string,
  shape: S,
  read: ReadTool<z.output<z.ZodObject<S>>>['read'],
): ReadTool {
  return { about, input: z.strictObject({ ...shape, ...cursor }), read }
}

/** A list of the admin API, whose entries are under `key`. */
const list = (about: string, [route, key]: readonly [string, string], filters: z.ZodRawShape = {}): ReadTool =>
  tool(about, { ...filters, ...page }, async (ask, query) => {
    const { [key]: entries = [], next_cursor, ...head } = await ask<List & { next_cursor?: string }>(route, { query })
    return { head, entries, next: next_cursor ?? null }
  })

const as = (name: string, entries: readonly unknown[]) => entries.map((entry) => ({ [name]: entry }))

/** Tools of the scope `read`, by their names. */
export const READ_TOOLS: { readonly [name: string]: ReadTool } = {
  problems: list(
    'Problems (all incidents of one fingerprint), firing ones first',
    ['GET /api/admin/problems', 'problems'],
    { status, severity: word, service: word, q: word, acknowledged: z.boolean().exactOptional() },
  ),
  brief: tool(
    'Begin here: who was notified, page, earlier times and how they ended, similar problems, notes, silences, what fires nearby, logs, changes, runbook',
    { id, opening: z.int().min(1).exactOptional() },
    async (ask, { id, opening }) => {
      const { at, late, unapplied, problem, before, ...sections } = await ask<Brief>(
        'GET /api/admin/problems/:id/brief',
        {
          ...{ params: { id }, query: { opening } },
        },
      )
      const { openings, ...times } = before
      const entries = Object.entries(sections).flatMap(([name, found]) => as(name, [found ?? []].flat()))
      return {
        head: { at, late, unapplied, ...problem },
        entries: [{ before: times }, ...as('earlier', openings), ...entries],
      }
    },
  ),
  problem: tool(
    'One problem: escalations, what people did, its latest incidents; with an incident id also that payload',
    { id },
    async (ask, { id }) => {
      const isNumber = /^\d{1,15}$/.test(id)
      const incident = isNumber
        ? undefined
        : await ask<IncidentDetail>('GET /api/admin/incidents/:id', { params: { id } })
      const params = { id: isNumber ? id : String(incident?.problem ?? '') }
      const {
        incidents,
        answers,
        runs = [],
        claims = [],
        silence,
        ...head
      } = await ask<ProblemDetail>('GET /api/admin/problems/:id', { params })
      // Empty also where no history is kept.
      const { notes } = await ask<NoteList>('GET /api/admin/problems/:id/notes', { params }).catch(() => ({
        notes: [],
      }))
      const payload = incident ? [{ content: incident.content, page: incident.oncall }] : []
      const rest = [
        ...as('run', runs),
        ...as('claim', claims),
        ...as('note', notes),
        ...as('answer', answers),
        ...as('incident', incidents),
      ]
      return { head, entries: [...payload, ...rest] }
    },
  ),
  incidents_search: list(
    'Incidents by full text and filters, newest first',
    ['GET /api/admin/incidents', 'incidents'],
    {
      ...{ q: word, status, severity: word, service: word },
      notified: z.enum(['message', 'digest', 'nobody', 'waiting', 'silenced']).exactOptional(),
    },
  ),
  explain: tool(
    'Who was notified of an incident, and why: rules, silences, destinations, page',
    { incident: z.string().max(64) },
    async (ask, { incident: id }) => {
      const path = 'GET /api/admin/incidents/:id/explain'
      const { decisions, ...head } = await ask<Explanation>(path, { params: { id } })
      return { head, entries: decisions }
    },
  ),
  digests: list('Digests of storms and groups', ['GET /api/admin/digests', 'digests'], {
    open: z.boolean().exactOptional(),
  }),
  silences: list('Silences, active ones first, with what they hold', ['GET /api/admin/silences', 'silences'], {
    state: z.enum(['active', 'scheduled', 'ended']).exactOptional(),
  }),
  heartbeats: list('Expected signals and whether they come', ['GET /api/admin/heartbeats', 'heartbeats']),
  log_patterns: tool(
    'Log patterns that the agent knows, last seen first',
    { service: word, since: z.iso.datetime({ offset: true }).default('1970-01-01T00:00:00Z') },
    async (ask, { service, since }) => {
      const { patterns, total } = await ask<PatternPage>('GET /api/agent/patterns', { query: { limit: MOST_PATTERNS } })
      const known = patterns.filter((each) => service === undefined || each.service === service)
      const entries = known.filter(({ last_seen }) => Date.parse(last_seen) >= Date.parse(since))
      return { head: { total }, entries: entries.map(({ recent, ...pattern }) => pattern) }
    },
  ),
  who_is_on_call: tool(
    'Who is paged now for a critical incident of the service, open escalations, who acknowledged last',
    { service: word },
    async (ask, { service = '' }) => {
      const payload = { title: 'Who is on call?', service, severity: 'critical' }
      const [{ decisions }, { schedules }, { runs }, stats, { answers }] = await Promise.all([
        ask<Explanation>('POST /api/admin/explain', { body: { payload } }),
        ask<OncallOverview>('GET /api/admin/oncall'),
        ask<RunList>('GET /api/admin/oncall/runs'),
        ask<{ readonly oncall: object }>('GET /api/admin/stats'),
        ask<AnswerPage>('GET /api/admin/answers'),
      ])
      const last = answers.filter(({ action, result }) => action === 'acknowledge' && result === 'done').slice(0, 1)
      return {
        head: stats.oncall,
        entries: [
          ...as(
            'step',
            decisions.filter(({ stage }) => stage === 'on-call'),
          ),
          // Their calendars are addresses that open without a secret.
          ...as(
            'schedule',
            schedules.map(({ feed, ...schedule }) => schedule),
          ),
          ...as(
            'run',
            runs.filter(({ ended_at }) => ended_at === null),
          ),
          ...as('last_acknowledgement', last),
        ],
      }
    },
  ),
  rehearse: tool(
    'Plays the stored history under changed routes, silences or noise: begins with config (YAML), shows with id',
    {
      config: z.string().max(50_000).exactOptional(),
      hours: z.int().min(1).max(720).default(24),
      id: z.uuid().exactOptional(),
    },
    async (ask, { id, config, hours }) => {
      const { result, warnings, ...head } = id
        ? await ask<Rehearsal>('GET /api/admin/rehearsals/:id', { params: { id } })
        : await ask<Rehearsal>('POST /api/admin/rehearsals', { body: { config, hours } })
      const { changes = [], in_force, proposed, ...rest } = result ?? {}
      const worst = changes.map(({ incidents, ...change }) => ({ ...change, examples: incidents.slice(0, 3) }))
      const runs = in_force && proposed ? [{ in_force }, { proposed }] : []
      return { head: { ...head, ...rest, warnings }, entries: [...worst, ...runs] }
    },
  ),
}
