import type { RouteTable } from '../../../src/api/noise/route.ts'
import { useResource } from '../../api/resource.ts'
import { dataVersion } from '../../live/stats.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Rules } from './rules.tsx'
import { Trial } from './trial.tsx'

/** The rules that choose who is notified of an incident, and a field to try a payload. */
export function RoutesPage() {
  const routes = useResource<RouteTable>('/api/admin/routes', dataVersion)
  const { value } = routes
  const rules = value && plural(value.routes.length, 'rule')
  return (
    <Page title="Routes" note={rules && `${rules}, looked at in this order; the first that matches decides`}>
      {value === undefined ? <Pending of={routes} lines={6} /> : <Rules of={value} />}
      <Trial />
    </Page>
  )
}
