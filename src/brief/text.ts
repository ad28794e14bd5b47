import type { Brief } from '../api/brief.ts'
import { counted, lasted } from '../domain/delivery/notice.ts'
import { oneLine } from '../text/one-line.ts'
import { visible } from '../text/visible.ts'

/** Section, text, and the entry that the text comes from; without one it is the problem, and the section knows nothing. */
type Line = readonly [section: string, text: string, entry?: string]

/** Sections that a reply in a thread has, in its order. */
export type ReplySections = Pick<Brief, 'before' | 'notes' | 'nearby' | 'changes'>

/**
 * Returns the brief as lines of plain text in aligned columns; each ends with the entry that it comes from. Times are in UTC. Words of
 * others are on one line, and their control and bidirectional characters are shown as `U+FFFD`.
 */
export function briefLines(brief: Brief, now: number): string[] {
  const { similar, silences, logs, runbook, late, unapplied } = brief
  const lines: Line[] = [
    problemLine(brief, now),
    ['notified', notifiedText(brief, now), `problem:${brief.problem.id}`],
    beforeLine(brief.before, now),
    ...brief.notes.map((note) => noteLine(note, now)),
    ...similar.map(similarLine),
    ...silences.map((silence) => silenceLine(silence, now)),
    ...nearbyLines(brief.nearby, now),
    ...logs.map(({ pattern, at, text, count }): Line => {
      return ['logs', `${clock(at, now)}: ${plain(text)}, ${counted(count, 'line')}`, `pattern:${pattern}`]
    }),
    ...brief.changes.map((change) => changeLine(change, brief.problem.opened_at)),
    ...runbook.map((url): Line => ['runbook', plain(url), `problem:${brief.problem.id}`]),
    ...(late.length > 0 ? [['late', `no time or room: ${late.join(', ')}`] as const] : []),
    ...(unapplied > 0 ? [['newer', `${counted(unapplied, 'incident')} not applied yet`] as const] : []),
  ]
  return aligned(lines, `problem:${brief.problem.id}`)
}

/**
 * Returns the lines of the reply in the thread of a problem's message, at most 4: earlier times, the newest note, problems nearby
 * and the latest change before `since`, an ISO time. A section that knows nothing has none.
 */
export function replyLines({ before, notes, nearby, changes }: ReplySections, since: string, now: number): string[] {
  const lines = [
    ...(before.count > 0 ? [beforeLine(before, now)] : []),
    ...notes.slice(0, 1).map((note) => noteLine(note, now)),
    ...nearbyLines(nearby, now).slice(0, 1),
    ...changes.slice(0, 1).map((change) => changeLine(change, since)),
  ]
  return lines.filter(([, , entry]) => entry !== undefined).map(([section, text]) => `${section}: ${text}`)
}

function problemLine({ problem }: Brief, now: number): Line {
  const { id, title, service, level, state, since, opened_at, firing, acked_at, acked_by } = problem
  const length = (until: number) => lasted(Math.max(0, until - Date.parse(opened_at)))
  const how = state === 'firing' ? `fires for ${length(now)}` : `over, fired for ${length(Date.parse(since))}`
  const taken = acked_at === null ? 'not acknowledged' : `acknowledged by ${plain(acked_by ?? '') || 'a person'}`
  const what = [`problem ${id}`, plain(title), plain(service), level].filter((part) => part !== '').join('  ')
  return ['', `${what}  ${how}, ${counted(firing, 'incident')}, ${taken}`, `problem:${id}`]
}

function notifiedText({ notified, page }: Brief, now: number): string {
  const ways = notified.map(({ channel, target, after_ms, status }) => {
    const where = target === null ? channel : `${channel}:${plain(target)}`
    return after_ms === null ? `${where} ${status}` : `${where} after ${lasted(after_ms)}`
  })
  const paged =
    page &&
    `page ${plain(page.state)}${page.due_at === null ? '' : `, due ${clock(page.due_at, now)}`} (${page.provider})`
  return [ways.join(', ') || 'no destination', ...(paged ? [paged] : [])].join('; ')
}

const ENDINGS: { readonly [by: string]: string } = { sender: 'its sender', person: 'a person', quiet: 'quiet' }

function beforeLine({ count, days, shortest_ms, longest_ms, openings: [last] }: Brief['before'], now: number): Line {
  if (count === 0 || last === undefined) return ['before', `not in ${days} days`]
  const range = [...new Set([shortest_ms, longest_ms].flatMap((ms) => (ms === null ? [] : [lasted(ms)])))].join(' to ')
  const { id, opened_at, ended_at, ended_by, acked_by } = last
  const facts = [
    `last ${clock(opened_at, now)}`,
    ...(ended_at === null ? [] : [lasted(Math.max(0, Date.parse(ended_at) - Date.parse(opened_at)))]),
    ...(acked_by === null ? [] : [`acknowledged by ${plain(acked_by)}`]),
    ...(ended_by === null ? [] : [`ended by ${ENDINGS[ended_by] ?? plain(ended_by)}`]),
  ]
  return [
    'before',
    `${counted(count, 'time')} in ${days} days${range && `, ${range}`}; ${facts.join(', ')}`,
    `opening:${id}`,
  ]
}

const noteLine = ({ id, at, by, text }: Brief['notes'][number], now: number): Line => [
  'note',
  `${plain(by)}, ${clock(at, now)}: "${plain(text)}"`,
  `note:${id}`,
]

function similarLine({ title, service, score, count, median_ms, acked_by, problem }: Brief['similar'][number]): Line {
  const facts = [
    counted(count, 'time'),
    ...(median_ms === null ? [] : [lasted(median_ms)]),
    ...(acked_by === null ? [] : [plain(acked_by)]),
  ]
  const where = service === '' ? '' : ` (${plain(service)})`
  return ['similar', `${plain(title)}${where}, ${score.toFixed(2)}: ${facts.join(', ')}`, `problem:${problem}`]
}

function silenceLine({ id, comment, state, starts_at, ends_at }: Brief['silences'][number], now: number): Line {
  const end = ends_at === null ? '' : `, until ${clock(ends_at, now)}`
  const does = {
    holds: `holds it${end}`,
    would_hold: `would hold its next incident${end}`,
    begins: `begins at ${clock(starts_at, now)}`,
  }[state]
  return ['silence', `"${plain(comment)}" ${does}`, `silence:${id}`]
}

function nearbyLines(nearby: Brief['nearby'], now: number): Line[] {
  if (nearby === null) return [['nearby', 'the problem names no service']]
  const { openings, services, digests } = nearby
  const others = services.map(({ service, count }) => `${count} in ${plain(service) || 'no service'}`).join(', ')
  const lines = openings.map(({ problem, title, service, opened_at }): Line => {
    return ['nearby', `${plain(title)} (${plain(service)}) since ${clock(opened_at, now)}`, `problem:${problem}`]
  })
  const [first, ...more] = lines
  const counts: Line[] = first === undefined && others !== '' ? [['nearby', `other services: ${others}`]] : []
  const open: Line[] =
    first === undefined ? counts : [[first[0], `${first[1]}${others && `; ${others}`}`, first[2] ?? '']]
  const told = digests.map((digest): Line => ['nearby', plain(digest.title), `digest:${digest.number}`])
  return [...open, ...more, ...told]
}

function changeLine({ id, at, service, kind, summary }: Brief['changes'][number], since: string): Line {
  const ms = Date.parse(since) - Date.parse(at)
  const words = [service, summary].map(plain).filter((word) => word !== '')
  const about = kind === '' ? '' : ` (${plain(kind)})`
  return [
    'change',
    `${lasted(Math.abs(ms))} ${ms < 0 ? 'after' : 'before'}: ${words.join(': ')}${about}`,
    `change:${id}`,
  ]
}

const plain = (text: string): string => visible(oneLine(text))

/** Returns the time of day in UTC, with its day when that is not today. */
function clock(at: string, now: number): string {
  const [day = '', time = ''] = at.split('T')
  return new Date(now).toISOString().startsWith(day) ? time.slice(0, 5) : `${day} ${time.slice(0, 5)}`
}

/** The entries of longer lines stand right after them. */
const WIDEST = 96

function aligned(lines: readonly Line[], ofAll: string): string[] {
  const texts = lines.map(([section, text]) => (section === '' ? text : ` ${section.padEnd(10)} ${text}`))
  const width = Math.min(WIDEST, Math.max(...texts.map((text) => text.length)))
  return texts.map((text, at) => {
    const [, , entry = ofAll] = lines[at] ?? []
    return `${text.padEnd(width)}  ${entry}`
  })
}
