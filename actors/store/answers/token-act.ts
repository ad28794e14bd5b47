import type { OncallChange } from '../../../src/store/ports/oncall.ts'
import type { Store } from '../../../src/store/store.ts'
import type { TokenAct, TokenActed } from '../../messages/storage-queries.ts'

interface TokenActDeps {
  readonly store: Store
  /** Makes a change durable, and announces it. */
  changed(change: () => readonly OncallChange[]): void
}

/** Looks at the problem and acts on it without a turn in between. A silence is made by its own question. */
export function tokenAct({ store, changed }: TokenActDeps, given: TokenAct): TokenActed {
  const { action, id, by, mayStopPages, shown: before } = given
  const { problems, oncallRuns } = store
  const problem = problems.detail(id)
  if (problem === undefined) return { kind: 'unknown' }
  const shown = [problem.opened_at, problem.state, problem.firing_total, problem.last_incident_id].join(' ')
  if (before !== undefined && before !== shown) return { kind: 'stale' }
  if (problem.state !== 'firing') return { kind: 'over' }
  const open = oncallRuns?.ofProblem(id).filter(({ ended_at }) => ended_at === null).length ?? 0
  const found = { problem, shown, pages: problems.pagesToCome(id) + open }
  if (action === 'resolve' && problems.openPages(id) + open > 0 && !mayStopPages) return { kind: 'paged' }
  if (before === undefined || action === 'silence') return { kind: 'ready', ...found }
  changed(() => {
    if (action === 'resolve') return problems.resolve(id, by) ?? []
    if (mayStopPages) return problems.acknowledge(id, by) ?? []
    problems.acknowledgeOnly(id, by)
    return []
  })
  return { kind: 'done', ...found, problem: problems.detail(id) ?? problem }
}
