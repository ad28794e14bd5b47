import type {
  ChangedIncident,
  RehearsalChange,
  RehearsalHistory,
  RehearsalResult,
  RehearsalRun,
  RehearsedDestination,
  RehearsedPart,
} from '../../api/noise/rehearsal.ts'
import { destinationName } from '../../domain/delivery/delivery.ts'
import { alignedLines, type Cells } from './columns.ts'

/** Incidents that are listed of a change: of those that must not be missed, and of others. */
const MAX_SHOWN = { critical: 50, other: 5 }

/** Returns the difference first, then history, destinations and rules of both configurations. */
export const rehearsalLines = (result: RehearsalResult): string[] => [
  ...changeLines(result),
  '',
  ...destinationLines(result),
  ...escalationLines(result),
  '',
  ...ruleLines(result),
]

/** Returns the history and what differs. */
export function changeLines({ history, changes }: RehearsalResult): string[] {
  const same = history.partial === null ? 'nothing differs' : 'nothing differs in this part'
  const found = changes.length === 0 ? [`${same}: every incident reaches the same destinations`] : []
  return [...historyLines(history), '', ...found, ...changes.flatMap(linesOf)]
}

function historyLines({ from, to, incidents, complete, max_incidents, partial }: RehearsalHistory): string[] {
  const cut = `the history does not reach back to ${from}: older incidents are not kept (storage.file.max_incidents: ${max_incidents}), or more than 100,000 came`
  return [
    ...(partial === null ? [] : [partialLine(incidents, partial)]),
    `${incidents} incidents from ${from} to ${partial?.until ?? to}`,
    ...(complete ? [] : [cut]),
  ]
}

/** The first line of all that is printed of a history that was not rehearsed to its end. */
const partialLine = (incidents: number, { left_out, because }: RehearsedPart) =>
  `PARTIAL: ${because}. Of the oldest ${incidents} incidents only; up to ${left_out} later ones were not rehearsed: --since with a shorter time does all`

const TITLES: { readonly [kind in RehearsalChange['kind']]: string } = {
  lost: 'nobody would be notified of',
  silenced: 'a silence would keep from everybody',
  page_lost: 'nobody would be paged for',
  gained: 'somebody would be notified of',
  page_gained: 'somebody would be paged for',
  moved: 'others would be notified of',
  page_moved: 'others would be paged for',
}

function linesOf({ kind, level, count, incidents }: RehearsalChange): string[] {
  const shown = incidents.slice(0, MAX_SHOWN[level === 'critical' ? level : 'other'])
  return [
    `${TITLES[kind]} ${count} ${level}:`,
    ...alignedLines(shown.map(incidentRow)),
    ...(count > shown.length ? [` and ${count - shown.length} more`] : []),
  ]
}

function incidentRow({ id, at, service, title, before, after }: ChangedIncident) {
  return [` ${id}`, at, service, title, `${before.join(', ') || 'nobody'} -> ${after.join(', ') || 'nobody'}`]
}

type Run = readonly [name: string, run: RehearsalRun]
const runsOf = ({ in_force, proposed }: RehearsalResult): readonly Run[] => [
  ['now', in_force],
  ['new', proposed],
]

function destinationLines(result: RehearsalResult): string[] {
  const names = [...new Set(runsOf(result).flatMap(([, { destinations }]) => destinations.map(destinationName)))].sort()
  const rows = names.flatMap((name) =>
    runsOf(result).map(([label, { destinations }], nth) => [
      nth === 0 ? name : '',
      label,
      ...cellsOf(destinations.find((each) => destinationName(each) === name)),
    ]),
  )
  const totals = runsOf(result).map(
    ([label, { pages, joined, nobody, held }]) =>
      ` ${label}: ${pages} pages, ${joined} joined a page, ${nobody} notified nobody, ${held} held by a silence`,
  )
  const counted = ['by message', 'by digest', 'digests', 'updates of digests', 'edits', 'held', 'waiting']
  return [...alignedLines([['destination', '', ...counted, 'notified p50', 'max'], ...rows]), ...totals]
}

function cellsOf(found: RehearsedDestination | undefined): Cells {
  if (found === undefined) return ['-', '', '', '', '', '', '', '', '']
  const { by_message, by_digest, digests, updates, edits, held, waiting, notified_p50_ms, notified_max_ms } = found
  return [
    by_message,
    by_digest,
    digests,
    updates,
    edits,
    held,
    waiting,
    secondsOf(notified_p50_ms),
    secondsOf(notified_max_ms),
  ]
}

/** Returns the pages of each person; nothing where neither configuration has escalations. */
function escalationLines(result: RehearsalResult): string[] {
  const runs = runsOf(result).flatMap(([label, { escalations }]) =>
    escalations ? [[label, escalations] as const] : [],
  )
  if (runs.length === 0) return []
  const keys = [...new Set(runs.flatMap(([, { people }]) => people.map(({ person }) => person)))].sort()
  const rows = keys.flatMap((key) =>
    runs.flatMap(([label, { people }], nth) => {
      const found = people.find(({ person }) => person === key)
      return [[nth === 0 ? key : '', label, ...(found ? [found.messages, found.at_night] : ['-', ''])]]
    }),
  )
  const totals = runs.map(
    ([label, { runs, unanswered }]) => ` ${label}: ${runs} escalations, ${unanswered} that nobody answered`,
  )
  return ['', ...alignedLines([['person', '', 'pages', '22:00 to 07:00'], ...rows]), ...totals]
}

const secondsOf = (ms: number | null) => (ms === null ? '-' : `${(ms / 1_000).toFixed(1)} s`)

function ruleLines(result: RehearsalResult): string[] {
  const rows = runsOf(result).flatMap(([label, { rules, unmatched }]) => [
    ...rules.map(({ name, line, hits }) => [label, name, hits, hits === 0 ? 'never matched' : '', line]),
    [label, 'no rule', unmatched, '', ''],
  ])
  return alignedLines([['', 'rule', 'hits', '', 'line'], ...rows])
}
