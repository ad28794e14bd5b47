import type { ProblemPage } from '../../../src/api/noise/problem.ts'
import { href } from '../../app/route.ts'
import { openFilters } from '../../list/filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import { openLists } from '../../list/live-list.ts'
import { count } from '../../ui/charts/numbers.ts'
import { Empty } from '../../ui/empty.tsx'
import { ANY } from '../../ui/field.tsx'
import { Detail } from './detail.tsx'
import { Row } from './row.tsx'

const FILTERS = openFilters('problems', ['q', 'status', 'severity', 'service', 'source', 'acknowledged'])

/** Lists of problems, open ones first; `total` is the number of all open ones. */
const listOf = openLists('/api/admin/problems', (page: ProblemPage) => {
  const { problems: rows, firing: total, next_cursor: next } = page
  return { rows, total, next }
})

/** The list of problems, open ones first. */
export const ProblemsPage = () => (
  <ListPage
    page="problems"
    title="Problems"
    label="Problems, open ones first"
    noun="problem"
    listOf={listOf}
    note={({ total }) => (total === 0 ? 'none open' : `${count(total)} open`)}
    total={(list) => (list.complete ? list.rows.value.length : -1)}
    heads={['Severity', 'Problem', 'Service', 'State', 'Incidents', 'Last']}
    headsClass="problem-heads"
    filters={FILTERS}
    placeholder="Search titles and services"
    selects={[
      ['status', 'State', [ANY, ['firing', 'open'], ['resolved', 'over']]],
      ['severity', 'Severity'],
      ['service', 'Service'],
      ['source', 'Source'],
      ['acknowledged', 'Acknowledged', [ANY, ['false', 'no'], ['true', 'yes']]],
    ]}
    nothing={
      <Empty icon="check" title="No problem">
        <p>
          A problem is all incidents of one fingerprint. Single ones are in the{' '}
          <a href={href('incidents')}>list of incidents</a>.
        </p>
      </Empty>
    }
    Row={Row}
    Detail={Detail}
  />
)
