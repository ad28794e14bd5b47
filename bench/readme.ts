import { goalRows, tableOf } from './markdown.ts'
import type { Results } from './published.ts'
import { isMeasure, type Row } from './report.ts'
import type { TrialResult } from './run-trial.ts'
import { TRIALS } from './trials/index.ts'

/** The README's section on performance, made of nothing but the published figures. */

const BEGIN = '<!-- begin: performance, written by npm run bench -- --publish -->'
const END = '<!-- end: performance -->'

/** Of each trial that the README shows: which columns of its tables it leaves to `npm run bench`. Tables by thread are left to it as well. */
const SHOWN: readonly { readonly trial: string; readonly without?: RegExp }[] = [
  { trial: 'ingest', without: /^(refused|CPU)/ },
  { trial: 'pipeline', without: /^CPU/ },
  { trial: 'latency', without: /p90|p99\.9/ },
  { trial: 'growth' },
  { trial: 'start' },
  { trial: 'isolation', without: /^(others|incidents)/ },
  { trial: 'runtime' },
  { trial: 'scale' },
  { trial: 'soak' },
]

const BY_THREAD = ', by thread'

const NEVER_COVERED =
  'other machines, more cores than these, networks (everything went over the loopback interface), and disks other than that of this machine'

/** With the marks around it. */
export function performanceSection({ trials }: Results): string {
  const names = Object.keys(TRIALS).filter((name) => Object.hasOwn(trials, name))
  const goals = names.flatMap((name) => goalRows(name, trials[name]?.tables ?? {}))
  const tables = SHOWN.flatMap(({ trial, without }) => {
    const shown = Object.entries(trials[trial]?.tables ?? {}).filter(([title]) => !title.endsWith(BY_THREAD))
    return shown.map(([title, rows]) =>
      [`**${titleOf(title)}**`, '', ...tableOf(rows.map(columnsBut(without)))].join('\n'),
    )
  })
  const others = names.filter((name) => !SHOWN.some(({ trial }) => trial === name))
  return [
    BEGIN,
    `Measured by \`npm run bench\`, the load generator and the sinks on the same cores. ${machines(names, trials)}`,
    'A figure is the median of its samples, in brackets the smallest and the largest; baselines ran in turn with the service.',
    ...tables,
    goalsLine(goals),
    `All of it, with every sample, is in \`bench/published.json\`${others.length > 0 ? `, ${others.join(', ')} as well` : ''}.`,
    `**Not covered:** ${notCovered(names, trials).join('; ')}.`,
    END,
  ].join('\n\n')
}

/** How many are met, and of which figures some are missed. */
function goalsLine(goals: readonly Row[]): string {
  const figures = Map.groupBy(goals, ({ trial, figure }) => `\`${trial}\` ${figure}`)
  const missed = Array.from(figures, ([figure, rows]) => ({ figure, rows, count: rows.filter(isMissed).length }))
  const told = missed
    .filter(({ count }) => count > 0)
    .map(({ figure, rows, count }) => `${figure} (${count} of ${rows.length})`)
  const met = goals.length - goals.filter(isMissed).length
  return `**Goals:** ${met} of ${goals.length} are met${told.length > 0 ? `; missed: ${told.join(', ')}` : ''}.`
}
const isMissed = ({ verdict }: Row) => verdict === 'missed'

/** The text with the section in the place of the one between the marks. Throws when the marks are not there. */
export function withSection(text: string, section: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('the README has no section on performance')
  return text.slice(0, begin) + section + text.slice(end + END.length)
}

function machines(names: readonly string[], trials: Results['trials']): string {
  const on = new Map<string, string[]>()
  for (const name of names) {
    const { machine = '', at = '' } = trials[name] ?? {}
    const how = `${machine}, ${at.slice(0, 10)}`
    on.set(how, [...(on.get(how) ?? []), name])
  }
  if (on.size === 1) return `On ${[...on.keys()].join()}.`
  return `${Array.from(on, ([how, these]) => `On ${how}: ${these.join(', ')}`).join('. ')}.`
}

function notCovered(names: readonly string[], trials: Results['trials']): string[] {
  const missing = Object.keys(TRIALS).filter((name) => !names.includes(name))
  const left = names.flatMap((name) => (trials[name]?.leftOut ? [`of \`${name}\`: ${trials[name].leftOut}`] : []))
  const loads = names.map((name): TrialResult['load'] => trials[name]?.load ?? 0)
  const most = Math.max(0, ...loads)
  return [
    ...(missing.length > 0 ? [`\`${missing.join('`, `')}\`, of which there are no figures yet`] : []),
    ...left,
    ...(most >= BUSY
      ? [`a machine that does nothing else: up to ${most} processes wanted a core before a trial began`]
      : []),
    NEVER_COVERED,
  ]
}
const BUSY = 1

/** What the title says after the name of the trial. */
const titleOf = (title: string) => title.replace(/^[\w-]+: /, '')

function columnsBut(without: RegExp | undefined): (row: Row) => Row {
  return (row) => Object.fromEntries(Object.entries(row).filter(([column, cell]) => isKept(column, cell, without)))
}

/** What has a goal is never left out. */
const isKept = (column: string, cell: Row[string], without: RegExp | undefined) =>
  !without?.test(column) || (isMeasure(cell) && cell.goal !== undefined)
