import { useSignal } from '@preact/signals'
import { usePageKeys } from '../app/keys.ts'
import { navigate, replaceUrl } from '../app/route.ts'

interface RowKeys {
  /** One row, as the list of keys calls it: `incident`. */
  readonly noun: string
  /** Id of the row that is open beside the list, '' for none; absent: rows open on a page of their own. */
  readonly open?: string
  /** Returns the ids of all rows. */
  ids(): readonly string[]
  /** Returns the address of a row; of the list for ''. */
  address(id: string): string
}

/** Moves through a list by keys. Returns the index of the row that they have chosen; -1 for none. */
export function useRowKeys({ noun, open, ids, address }: RowKeys): number {
  const cursor = useSignal(-1)
  const move = (step: number) => {
    const all = ids()
    const at = Math.max(0, Math.min(all.length - 1, (open ? all.indexOf(open) : cursor.peek()) + step))
    const id = all[at]
    if (id === undefined) return
    cursor.value = at
    if (open) replaceUrl(address(id))
  }
  const enter = () => {
    const id = ids()[cursor.peek()]
    if (id !== undefined) navigate(address(id))
  }
  const back = { key: 'Escape', description: 'Back to the list', run: () => open && navigate(address('')) }
  usePageKeys([
    { key: 'j', description: `Next ${noun}`, run: () => move(1) },
    { key: 'k', description: `Previous ${noun}`, run: () => move(-1) },
    { key: 'Enter', description: `Open the ${noun}`, run: enter },
    ...(open === undefined ? [] : [back]),
  ])
  return open ? ids().indexOf(open) : cursor.value
}
