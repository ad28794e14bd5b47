import { type ReadonlySignal, useSignal } from '@preact/signals'
import { usePageKeys } from '../app/keys.ts'
import { navigate, replaceUrl } from '../app/route.ts'

interface RowKeys {
  /** One row, as the list of keys calls it: `incident`. */
  readonly noun: string
  readonly rows: ReadonlySignal<readonly { readonly id: string | number }[]>
  /** Id of the open row; '' when the list has the whole page. */
  readonly open: string
  /** Returns the address of a row; of the list for ''. */
  address(id: string): string
}

/** Moves through a list by keys. Returns the index of the row that they have chosen; -1 for none. */
export function useRowKeys({ noun, rows, open, address }: RowKeys): number {
  const cursor = useSignal(-1)
  const move = (step: number) => {
    const all = rows.peek()
    const from = open === '' ? cursor.peek() : all.findIndex(({ id }) => String(id) === open)
    const at = Math.max(0, Math.min(all.length - 1, from + step))
    const row = all[at]
    if (row === undefined) return
    cursor.value = at
    if (open !== '') replaceUrl(address(String(row.id)))
  }
  const enter = () => {
    const row = rows.peek()[cursor.peek()]
    if (row !== undefined) navigate(address(String(row.id)))
  }
  usePageKeys([
    { key: 'j', description: `Next ${noun}`, run: () => move(1) },
    { key: 'k', description: `Previous ${noun}`, run: () => move(-1) },
    { key: 'Enter', description: `Open the ${noun}`, run: enter },
    { key: 'Escape', description: 'Back to the list', run: () => open !== '' && navigate(address('')) },
  ])
  return open === '' ? cursor.value : rows.value.findIndex(({ id }) => String(id) === open)
}
