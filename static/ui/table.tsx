import type { ComponentChildren } from 'preact'

/** The title of a column of text, or that of a column of numbers with its explanation. */
type Column = string | { readonly number: string; readonly hint?: string }

interface TableProps {
  readonly columns: readonly Column[]
  /** Rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls sideways where it is too wide. */
export const Table = ({ columns, children }: TableProps) => (
  <div class="scroll-x">
    <table class="table">
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.number} scope="col" class="number" title={column.hint}>
                {column.number}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
