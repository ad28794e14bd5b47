import type { FatigueReport } from '../../api/noise/report.ts'
import { counted } from '../../domain/delivery/notice.ts'
import { UsageError } from '../command.ts'
import { defineCommand } from '../define-command.ts'
import { callApi, serviceOf } from '../service.ts'
import { ANSWER, print } from './answer.ts'
import { type Cells, plainCell } from './columns.ts'

export const report = defineCommand({
  name: 'report',
  summary: 'print how many notifications people got in a time',
  about: `Asks a running service how many messages and pages each destination got, how many of them at night, which problems were loudest, and
prints it as Markdown. The secret is read from GATEWAY_SECRET or the configuration.`,
  options: {
    since: { value: 'TIME', description: 'how far back, as 12h or 7d, up to 90d; default: 7d' },
    'time-zone': { value: 'ZONE', description: 'of the nights, as Europe/Berlin; default: that of this machine' },
    ...ANSWER,
  },
  async run({ since, 'time-zone': given, ...asked }) {
    const zone = given ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    const query = new URLSearchParams({ hours: String(hoursOf(since ?? '7d')), time_zone: zone })
    const answer = await callApi<FatigueReport>(serviceOf(asked), `/api/admin/report?${query}`)
    print(asked.json, answer, (report) => [markdownOf(report)])
    return 0
  },
})

function hoursOf(since: string): number {
  const [, number, unit] = /^(\d{1,4})([hd])$/.exec(since) ?? []
  if (number === undefined) throw new UsageError('--since must be a number of hours or days, such as 12h or 7d')
  return Number(number) * (unit === 'd' ? 24 : 1)
}

/** Returns a report as Markdown. */
export function markdownOf(report: FatigueReport): string {
  const { from, to, counted_since, time_zone, incidents, destinations, notified, pages } = report
  const cut = counted_since > from ? `, counted since ${counted_since}: no earlier incident is stored` : ''
  const share = notified.share_by_digest === null ? '' : ` (${Math.round(notified.share_by_digest * 100)} % by digest)`
  return [
    '# Notifications',
    '',
    `${from} to ${to}${cut}. Nights are 22:00 to 7:00 ${time_zone}.`,
    '',
    `- ${counted(incidents, 'incident')}`,
    `- ${notified.by_message} sent separately, ${notified.by_digest} by a digest${share}, ${notified.waiting} wait, ${notified.silenced} silenced, ${notified.dead} dead`,
    `- ${counted(pages.paged, 'page')}, ${pages.at_night} at night, ${pages.never_acknowledged} never acknowledged`,
    '',
    '## Destinations',
    '',
    ...tableOf(
      ['destination', 'messages', 'of these edits', 'at night', 'busiest hour'],
      destinations.map((each) => [each.destination, each.messages, each.edits, each.at_night, busiestOf(each.by_hour)]),
    ),
    ...(pages.paged === 0 ? [] : ['', `Pages: the busiest hour was ${busiestOf(pages.by_hour)}.`]),
    ...problemsOf('Most incidents', report.top),
    ...problemsOf('Flapping', report.flapping, FLAPPING_HINT),
    ...unusedOf(report.unused_silences),
  ].join('\n')
}

function busiestOf(hours: FatigueReport['pages']['by_hour']): string {
  const [first, ...others] = hours
  if (first === undefined) return '-'
  const busiest = others.reduce((most, hour) => (hour.count > most.count ? hour : most), first)
  return `${busiest.at} (${busiest.count})`
}

const FLAPPING_HINT = 'With `noise.flapping.enable` each of them has one message while it flaps.'

function problemsOf(heading: string, problems: FatigueReport['top'], hint?: string): string[] {
  if (problems.length === 0) return []
  const rows = problems.map(({ service, title, severity, firing, resolved, last_incident_id: last }) => {
    return [service, title, severity, firing, resolved, last]
  })
  const head = ['service', 'title', 'severity', 'firing', 'resolved', 'last']
  return ['', `## ${heading}`, ...(hint === undefined ? [] : ['', hint]), '', ...tableOf(head, rows)]
}

function unusedOf(silences: FatigueReport['unused_silences']): string[] {
  if (silences.length === 0) return []
  const rows = silences.map(({ id, name, text, owner, created_at: made, last_held_at: held }) => {
    return [id, name, text, owner, made, held ?? 'never']
  })
  const head = ['silence', 'name', 'conditions', 'owner', 'made', 'held last']
  return ['', '## Silences that held nothing for 30 days', '', ...tableOf(head, rows)]
}

function tableOf(head: Cells, rows: readonly Cells[]): string[] {
  const line = (cells: Cells) => `| ${cells.map(cellOf).join(' | ')} |`
  return rows.length === 0 ? ['none'] : [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

/** Foreign text stays in its cell, and is no markup. */
const cellOf = (cell: string | number) => plainCell(cell).replace(/[\\|`*_<>[\]]/g, (mark) => `\\${mark}`)
