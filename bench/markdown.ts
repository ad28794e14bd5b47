import { type Goal, isMeasure, isMet, type Measure, type Row, type TableCell, type Tables } from './report.ts'

/** Returns a Markdown table under its title. */
export function markdown(title: string, rows: readonly Row[]): string {
  return [`### ${title}`, '', ...tableOf(rows), ''].join('\n')
}

/** Returns the lines of a Markdown table. */
export function tableOf(rows: readonly Row[]): string[] {
  const columns = columnsOf(rows)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const body = rows.map((row) => line(columns.map((column) => shown(row[column] ?? ''))))
  return [line(columns), line(columns.map(() => '---')), ...body]
}

/** Columns of any row, in order of appearance. */
export const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))]

/** Text of a cell, such as `0.47 (0.45..0.49)`: the median, and the spread when there is more than one sample. */
export function shown(cell: TableCell): string {
  if (typeof cell === 'string') return cell
  if (!isMeasure(cell)) return grouped(cell, Number.isInteger(cell) ? 0 : 3)
  const spread = cell.count > 1 ? ` (${number(cell, 'min')}..${number(cell, 'max')})` : ''
  const verdict = cell.goal ? `, goal ${goalText(cell.goal, cell.digits)}: ${verdictOf(cell, cell.goal)}` : ''
  return `${number(cell, 'median')}${spread}${verdict}`
}

/** One row for each figure that has a goal, with the measured value and the verdict. */
export function goalRows(name: string, tables: Tables): Row[] {
  return Object.values(tables).flatMap((rows) =>
    rows.flatMap((row) =>
      Object.entries(row).flatMap(([column, cell]) => {
        if (!isMeasure(cell) || !cell.goal) return []
        const { goal, ...figure } = cell
        const identity = { trial: name, case: caseOf(row).join(', '), figure: column }
        return [{ ...identity, goal: goalText(goal, cell.digits), measured: figure, verdict: verdictOf(cell, goal) }]
      }),
    ),
  )
}

const CASE_CELLS = 2

/** Texts of the first columns, which identify the row, such as `64 connections`, `1 body kB`. */
export function caseOf(row: Row): string[] {
  const cells = Object.entries(row).filter(([, cell]) => !isMeasure(cell))
  return cells
    .slice(0, CASE_CELLS)
    .map(([key, cell]) => (typeof cell === 'number' ? `${shown(cell)} ${key}` : shown(cell)))
}

const verdictOf = (figure: Measure, goal: Goal) => (isMet(figure, goal) ? 'met' : 'missed')

function goalText({ atLeast, atMost }: Goal, digits: number): string {
  const bounds = [
    atLeast === undefined ? [] : `>= ${plain(atLeast, digits)}`,
    atMost === undefined ? [] : `<= ${plain(atMost, digits)}`,
  ]
  return bounds.flat().join(' and ')
}

const number = (figure: Measure, which: 'median' | 'min' | 'max') => grouped(figure[which], figure.digits)
const grouped = (value: number, digits: number) =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: 0 })
    : 'none'
const plain = (value: number, digits: number) => grouped(value, Math.max(digits, 2))
