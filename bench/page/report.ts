import { columnsOf, goalRows, shown } from '../markdown.ts'
import type { Curve, Row } from '../report.ts'
import type { Results } from '../results.ts'
import type { TrialResult } from '../run-trial.ts'
import { bars } from './bars.ts'
import { curves } from './curves.ts'
import { element, shownData } from './dom.ts'
import 'uplot/dist/uPlot.min.css'
import './report.css'

/** The page of `--html`: all tables of a run, rates as bars, distributions as curves. */
const { machine, trials } = shownData<Results>()
const goals = Object.entries(trials).flatMap(([name, { tables }]) => goalRows(name, tables))
document.body.append(
  element('h1', 'Tocsin, measured'),
  element('p', machine),
  element('p', 'A figure is the median of its samples; in brackets, and as a whisker, the smallest and the largest.'),
  element('nav', Object.keys(trials).map(linkTo)),
  ...(goals.length > 0 ? [element('h2', 'Goals'), table(goals)] : []),
  ...Object.entries(trials).flatMap(([name, result]) => section(name, result)),
)

function linkTo(name: string): HTMLElement {
  const link = element('a', name)
  link.setAttribute('href', `#${name}`)
  return link
}

function section(
  name: string,
  { at, commit, seconds, load, quick, tables, curves: drawn, leftOut, errors }: TrialResult,
): Node[] {
  const heading = element('h2', name)
  heading.id = name
  const form = quick ? ', short form' : ''
  const plots = new Map<string, Curve[]>()
  for (const curve of drawn) plots.set(curve.plot, [...(plots.get(curve.plot) ?? []), curve])
  const distributed = Array.from(plots, ([title, each]) => curves(title, each))
  return [
    heading,
    element('p', `${at}, commit ${commit || 'unknown'}, ${seconds} s${form}; load of the machine before: ${load}`),
    ...errors.map((error) => element('p', `failed: ${error}`, 'failed')),
    ...(leftOut === '' ? [] : [element('p', `left out: ${leftOut}`)]),
    ...Object.entries(tables).flatMap(([title, rows]) => [
      element('h3', title),
      table(rows),
      ...[bars(rows) ?? []].flat(),
    ]),
    element('div', distributed, 'plots'),
  ]
}

function table(rows: readonly Row[]): HTMLElement {
  const columns = columnsOf(rows)
  const cell = (text: string) => element('td', text, /\b(met|missed)$/.exec(text)?.[1])
  const body = rows.map((row) =>
    element(
      'tr',
      columns.map((column) => cell(shown(row[column] ?? ''))),
    ),
  )
  const head = element(
    'tr',
    columns.map((column) => element('th', column)),
  )
  return element('div', [element('table', [head, ...body])], 'wide')
}
