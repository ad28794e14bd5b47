import { visible } from '../../text/visible.ts'

const GAP = 2

/** One row of a table. */
export type Cells = readonly (string | number)[]

/** Returns rows as lines with aligned columns. Control characters and line breaks of foreign text are made visible. */
export function alignedLines(rows: readonly Cells[]): string[] {
  const plain = rows.map((row) => row.map(plainCell))
  const widths = (plain[0] ?? []).map((_, at) => Math.max(...plain.map((row) => row[at]?.length ?? 0)) + GAP)
  return plain.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('')
      .trimEnd(),
  )
}

/** Returns the text of a cell in one line. */
export const plainCell = (cell: string | number) => visible(String(cell)).replace(/[\n\t]+/g, ' ')
