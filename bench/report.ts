import { cpus, release, totalmem } from 'node:os'

export interface TrialOptions {
  /** Shorter and rougher. */
  readonly quick: boolean
  /** Folder of what a trial measures with, where that is not its own. */
  readonly data?: string | undefined
  progress(what: string): void
}

export type Row = { readonly [column: string]: string | number }

/** Rows by the titles of their tables. */
export interface Tables {
  readonly [title: string]: readonly Row[]
}

export interface Trial {
  readonly title: string
  run(options: TrialOptions): Promise<Row[] | Tables>
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** What the figures were measured on. */
export function machine(): string {
  const { length, 0: first } = cpus()
  return `${length} x ${first?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, node ${process.version}`
}

export function markdown(title: string, rows: readonly Row[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  const body = rows.map((row) => line(columns.map((column) => row[column] ?? '')))
  return [`### ${title}`, '', line(columns), line(columns.map(() => '---')), ...body, ''].join('\n')
}
