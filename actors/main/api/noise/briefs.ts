import type { Brief, ChangeList, NoteList, NoteRecord } from '../../../../src/api/brief.ts'
import type { Done } from '../../../../src/api/incident.ts'
import { CodedError } from '../../../../src/domain/errors.ts'
import type { AdminRoute } from '../../../../src/http/contract.ts'
import { Tally } from '../../../../src/telemetry/counters.ts'
import { ownBuckets } from '../../../../src/telemetry/histogram.ts'
import type { BriefFigures } from '../../../../src/telemetry/snapshot.ts'
import { cut } from '../../../../src/text/cut.ts'
import type { AgentQueries } from '../../../messages/agent-queries.ts'
import type { Ask } from '../../../messages/query.ts'
import { noteOf, operatorOf } from '../acknowledge.ts'
import { known, numberOf, objectOf, refuseUnknown } from '../parameters.ts'
import { type RouteDeps, route } from '../route.ts'

const PROBLEM = '/api/admin/problems/:id'
/** Counts briefs since the process started. */
export function openBriefCounts() {
  const tookMs = ownBuckets()
  const late = new Tally()
  return {
    took(ms: number, sections: readonly string[]): void {
      tookMs.record(ms)
      for (const name of sections) late.add(name)
    },
    figures: (): Pick<BriefFigures, 'tookMs' | 'late'> => ({ tookMs, late }),
  }
}
export type BriefCounts = ReturnType<typeof openBriefCounts>

interface BriefDeps extends Pick<RouteDeps, 'askStorage' | 'settings' | 'now'> {
  /** Absent: the log agent is off. */
  readonly askAgent: Ask<AgentQueries> | undefined
  readonly briefs: BriefCounts
}

const AROUND_MS = 10 * 60_000
const LOGS_MS = 250
const MAX_TEXT = 200

/** Adds the patterns of the service around the time when the problem began to fire. */
async function withLogs(brief: Brief, askAgent: Ask<AgentQueries>): Promise<Brief> {
  const { service, opened_at: began } = brief.problem
  if (service === '') return brief
  const at = Date.parse(began)
  const range = { service, from: at - AROUND_MS, to: at + AROUND_MS }
  const patterns = await askAgent({ kind: 'around', ...range }, LOGS_MS).catch(() => undefined)
  if (patterns === undefined) return { ...brief, late: [...brief.late, 'logs'] }
  return {
    ...brief,
    logs: patterns.map(({ id, first_seen, template, count }) => ({
      ...{ pattern: id, at: first_seen, text: cut(template, MAX_TEXT), count },
    })),
  }
}

/** The brief of a problem, notes of people, and changes. */
export function briefRoutes({ askStorage, askAgent, settings, now, briefs }: BriefDeps): AdminRoute[] {
  /** Returns the number of a problem by its own, or the id of one of its incidents. */
  async function problemOf(id = ''): Promise<number> {
    if (!settings().brief.enable) throw new CodedError('not_found', 'brief.enable is false: no history is kept')
    if (/^\d{1,15}$/.test(id)) return Number(id)
    return known(await askStorage({ kind: 'namedProblem', name: { incident: id } }), 'problem').id
  }

  return [
    route<Brief>('GET', `${PROBLEM}/brief`, async ({ params, query }) => {
      refuseUnknown(query.keys(), ['opening'])
      const given = query.get('opening')
      const opening = given === null ? undefined : numberOf(given, 'opening')
      const began = now()
      const asked = { id: await problemOf(params.id), ...(opening !== undefined && { opening }) }
      const stored = known(await askStorage({ kind: 'brief.of', ...asked }), 'problem')
      const brief = opening === undefined && askAgent ? await withLogs(stored, askAgent) : stored
      briefs.took(Math.max(0, now() - began), brief.late)
      return brief
    }),
    route<NoteList>('GET', `${PROBLEM}/notes`, async ({ params }) => {
      const notes = await askStorage({ kind: 'brief.notes', problem: await problemOf(params.id) })
      return { notes: known(notes, 'problem') }
    }),
    route<NoteRecord>('POST', `${PROBLEM}/notes`, async ({ params, body }) => {
      const note = noteOf(objectOf(body, 'the body').text, 'text')
      const problem = await problemOf(params.id)
      return known(
        await askStorage({ kind: 'brief.addNote', note: { problem, ...note, by: operatorOf(body) } }),
        'problem',
      )
    }),
    route<Done>('DELETE', '/api/admin/notes/:id', async ({ params }) => {
      const gone = await askStorage({ kind: 'brief.removeNote', id: numberOf(params.id, 'note') })
      known(gone || undefined, 'note')
      return { ok: true }
    }),
    route<ChangeList>('GET', '/api/admin/changes', async () => ({
      changes: await askStorage({ kind: 'brief.changes' }),
    })),
  ]
}
