import type { Brief } from '../../api/brief.ts'
import type { IncidentDetail } from '../../api/incident.ts'
import { SEVERITY_LEVELS, type SeverityLevel } from '../../domain/severity.ts'
import type { Problem } from '../../policy/problem.ts'
import { isoTime, isoTimeOrNull } from '../../text/iso-time.ts'
import { openIncidentDetail } from '../incidents/read.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { openDigestList } from '../noise/queries/digests.ts'
import { openHeldBy, openLikely, openNearby } from './nearby.ts'
import { type OpeningRow, openOpeningReads, summed } from './reads.ts'
import { cutQuote } from './text.ts'

/** A section of a brief; async ones give way between steps. */
interface Section {
  readonly name: string
  read(pause: () => Promise<void>): Partial<Brief> | Promise<Partial<Brief>>
}

/** The question of a brief, and the sections in their order, which read when they are called. */
interface BriefSections {
  readonly head: Pick<Brief, 'at' | 'problem'>
  readonly sections: readonly Section[]
}

const NOTIFIED = 8
const RUNBOOKS = 3
const BEFORE = 5
const DAYS = 30
const DAY_MS = 24 * 3_600_000

/** Where and when a brief is about. Times are epoch milliseconds. */
interface About {
  readonly problem: Problem
  /** The time that it fires, or fired; undefined: it is not kept. */
  readonly opening: OpeningRow | undefined
  /** Number of the incident that began it. */
  readonly began: number
  readonly openedAt: number
  readonly isPast: boolean
}

/**
 * Opens the brief of a problem. Each section is a few reads by index with a LIMIT. Returns undefined when no problem has the
 * number, or the opening is not one of it.
 */
export function openBriefSections(context: NoiseParts, reads = openOpeningReads(context.db)) {
  const { db, now, problems } = context
  const incidentOf = db.query<{ id: string }>('SELECT id FROM incidents WHERE seq = ?')
  const detail = openIncidentDetail(context)
  const digests = openDigestList(context)
  const heldBy = openHeldBy(context)
  const likely = openLikely(context, reads)
  const nearby = openNearby(context)
  const changes = db.query<Omit<Brief['changes'][number], 'at'> & { readonly at: number }>(
    `SELECT id, at, service, kind, summary, link FROM changes WHERE at BETWEEN ? AND ? AND service IN ('', ?) ORDER BY at DESC, id DESC LIMIT 5`,
  )

  function aboutOf(problem: Problem, number: number | undefined): About | undefined {
    const began = number ?? problem.opening
    const opening = reads.one(began)
    if (number !== undefined && opening?.fingerprint !== problem.fingerprint) return undefined
    const openedAt = opening?.opened_at ?? problem.openedAt
    return { problem, opening, began, openedAt, isPast: began !== problem.opening }
  }

  /** Reads the first and the newest incident of an opening that are stored. */
  function incidentsOf({ problem, began, isPast }: About): IncidentDetail[] {
    const first = incidentOf.get(began)?.id
    const ids = isPast || first === problem.lastId ? [first] : [first, problem.lastId]
    return ids.flatMap((id) => (id === undefined ? [] : (detail(id) ?? [])))
  }

  function before({ problem, began, openedAt }: About): Brief['before'] {
    const since = openedAt - DAYS * DAY_MS
    const all = reads.before(problem.fingerprint, began).filter((row) => row.opened_at >= since)
    return {
      ...summed(all),
      days: DAYS,
      openings: all.slice(0, BEFORE).map((row) => ({
        id: row.id,
        opened_at: isoTime(row.opened_at),
        ended_at: isoTimeOrNull(row.ended_at),
        ended_by: row.ended_by,
        acked_by: row.acked_by,
        incident: incidentOf.get(row.id)?.id ?? null,
      })),
    }
  }

  const changesOf = ({ problem, openedAt }: About): Brief['changes'] =>
    changes
      .all(openedAt - 2 * 3_600_000, openedAt + 10 * 60_000, problem.service)
      .map((row) => ({ ...row, at: isoTime(row.at), summary: cutQuote(row.summary), link: row.link.slice(0, 500) }))

  return function sectionsOf(id: number, number?: number): BriefSections | undefined {
    const problem = problems.numbered(id)
    const about = problem && aboutOf(problem, number)
    if (about === undefined) return undefined
    const { service, fingerprint } = about.problem
    let incidents: IncidentDetail[] = []
    let alike: readonly string[] = []
    const hasBefore = () => reads.before(fingerprint, about.began).length > 0
    return {
      head: { at: isoTime(about.isPast ? about.openedAt : now()), problem: problemOf(about) },
      sections: [
        {
          name: 'notified',
          read() {
            incidents = incidentsOf(about)
            return { notified: notifiedOf(incidents), page: pageOf(incidents.at(-1)) }
          },
        },
        { name: 'before', read: () => ({ before: before(about) }) },
        {
          name: 'similar',
          async read(pause) {
            const { similar, fingerprints } = await likely(about, hasBefore() ? 4 : 5, pause)
            alike = fingerprints
            return { similar }
          },
        },
        { name: 'notes', read: () => ({ notes: reads.notes([fingerprint, ...alike], 6, problems.numberOf) }) },
        { name: 'silences', read: () => ({ silences: about.isPast ? [] : heldBy(about.problem) }) },
        {
          name: 'nearby',
          read: () => ({
            nearby:
              service === ''
                ? null
                : {
                    ...nearby(about.problem, about.began, about.openedAt),
                    digests: digests({ limit: 3, open: true }).digests.map((each) => ({
                      number: each.number,
                      title: `${each.incidents} incidents of ${each.problems} problems at ${each.channel}${each.target === null ? '' : `:${each.target}`}`,
                    })),
                  },
          }),
        },
        { name: 'changes', read: () => ({ changes: changesOf(about) }) },
        { name: 'runbook', read: () => ({ runbook: runbookOf(incidents.at(-1)?.content) }) },
      ],
    }
  }
}

const levelOf = (rank: number): SeverityLevel => SEVERITY_LEVELS[rank] ?? 'warning'

function problemOf({ problem, opening, began, openedAt, isPast }: About): Brief['problem'] {
  const { id, title, service, level, state, since, firing, ackedAt, ackedBy } = problem
  const now = { state, since, firing, level, ackedAt, ackedBy, title, service }
  const then = opening && {
    ...{ title: opening.title, service: opening.service, level: opening.level, firing: opening.firing },
    ...{ state: opening.ended_at === null ? ('firing' as const) : ('resolved' as const) },
    ...{ since: opening.ended_at ?? opening.opened_at, ackedAt: opening.acked_at, ackedBy: opening.acked_by },
  }
  const shown = (isPast && then) || now
  return {
    id,
    title: cutQuote(shown.title),
    service: cutQuote(shown.service),
    level: levelOf(shown.level),
    state: shown.state,
    since: isoTime(shown.since),
    opened_at: isoTime(openedAt),
    firing: shown.firing,
    acked_at: isoTimeOrNull(shown.ackedAt),
    acked_by: shown.ackedBy,
    opening: opening === undefined ? null : began,
  }
}

/** Returns the deliveries of the first incident, and those of the newest to further destinations. */
function notifiedOf(incidents: readonly IncidentDetail[]): Brief['notified'] {
  const notified = new Map<string, Brief['notified'][number]>()
  for (const { deliveries, stages } of incidents)
    for (const { channel, target, state, attempts, via } of deliveries) {
      const key = `${channel}:${target ?? ''}`
      const ended = attempts.findLast(({ outcome }) => outcome === 'sent')
      const at = ended ? Date.parse(ended.started_at) + ended.duration_ms : Date.parse(via?.notified_at ?? '')
      const after = Number.isNaN(at) ? null : Math.max(0, Math.round(at - Date.parse(stages.committed_at)))
      if (!notified.has(key)) notified.set(key, { channel, target, after_ms: after, status: state })
    }
  return [...notified.values()].slice(0, NOTIFIED)
}

const pageOf = (incident: IncidentDetail | undefined): Brief['page'] =>
  incident?.oncall
    ? { provider: incident.oncall.provider ?? '', due_at: incident.oncall.due_at, state: incident.oncall.state }
    : null

/** Returns the addresses in the annotations of a payload, and its own link. */
function runbookOf(content: IncidentDetail['content'] | undefined): string[] {
  const objects = [content, content?.annotations, content?.commonAnnotations]
  const [alert] = Array.isArray(content?.alerts) ? (content.alerts as unknown[]) : []
  for (const more of [alert, (alert as { annotations?: unknown } | undefined)?.annotations])
    objects.push(more as IncidentDetail['content'])
  const texts = ['runbook_url', 'runbook', 'link', 'url', 'generatorURL'].flatMap((name) =>
    objects.map((object) => (object as { [name: string]: unknown } | undefined)?.[name]),
  )
  const links = texts.filter((text): text is string => typeof text === 'string' && isLink(text))
  return [...new Set(links)].slice(0, RUNBOOKS)
}

/** True for an address of http or https with at most 500 characters. */
const isLink = (text: string): boolean => text.length <= 500 && /^https?:\/\//i.test(text) && URL.canParse(text)
