import type { ComponentChildren } from 'preact'

interface Look<Row> {
  /** Stands at the right, as numbers do. */
  readonly number?: boolean
  /** The title is for screen readers only. */
  readonly hidden?: boolean
  /** Explains the title. */
  readonly hint?: string
  readonly class?: string
  /** Explains the cell. */
  title?(row: Row): string | undefined
}

/** Title, what it shows of a row, and the look of both. */
type Column<Row> = readonly [title: string, cell: (row: Row) => ComponentChildren, look?: Look<Row>]

interface TableProps<Row> {
  readonly rows: readonly Row[]
  id(row: Row, at: number): string | number
  readonly columns: readonly Column<Row>[]
  /** The column that names its row. */
  readonly naming?: number
}

/** A table that scrolls sideways where it is too wide. */
export const Table = <Row,>({ rows, id, columns, naming = 0 }: TableProps<Row>) => (
  <div class="scroll-x">
    <table class="table">
      <thead>
        <tr>
          {columns.map(([title, , { number, hidden, hint } = {}]) => (
            <th key={title} scope="col" class={number ? 'number' : undefined} title={hint}>
              {hidden ? <span class="hidden-text">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={id(row, at)}>
            {columns.map(([title, cell, look = {}], nth) => {
              const Cell = nth === naming ? 'th' : 'td'
              return (
                <Cell
                  key={title}
                  scope={nth === naming ? 'row' : undefined}
                  class={look.number ? 'number' : look.class}
                  title={look.title?.(row)}
                >
                  {cell(row)}
                </Cell>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
