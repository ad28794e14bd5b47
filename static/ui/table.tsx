import type { ComponentChildren } from 'preact'

/** The title of a column of text, that of a column of numbers with its explanation, or one for screen readers only. */
type Column = string | { readonly number: string; readonly hint?: string } | { readonly hidden: string }

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
            ) : 'hidden' in column ? (
              <th key={column.hidden} scope="col">
                <span class="hidden-text">{column.hidden}</span>
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
