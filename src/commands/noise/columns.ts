import { visible } from '../../text/visible.ts'

const GAP = 2

/** Returns rows as lines with aligned columns. Control characters and line breaks of foreign text are made visible. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const plain = rows.map((row) => row.map(plainCell))
  const widths = plain.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, cell.length)),
    [],
  )
  return plain.map((row) =>
    row
      .map((cell, at) => cell.padEnd((widths[at] ?? 0) + GAP))
      .join('')
      .trimEnd(),
  )
}

const plainCell = (text: string) => visible(text).replace(/[\n\t]+/g, ' ')
