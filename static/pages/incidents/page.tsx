import type { IncidentPage } from '../../../src/api/incident.ts'
import { openFilters } from '../../list/filter.ts'
import { ListPage } from '../../list/list-page.tsx'
import { openLists } from '../../list/live-list.ts'
import { count } from '../../ui/charts/numbers.ts'
import { Empty } from '../../ui/empty.tsx'
import { ANY } from '../../ui/field.tsx'
import { Detail } from './detail.tsx'
import { Row } from './row.tsx'

const FILTERS = openFilters('incidents', [
  'q',
  'status',
  'severity',
  'service',
  'channel',
  'source',
  'notified',
  'rule',
  'digest',
])
const NOTIFIED = [
  ANY,
  ['message', 'by a message of its own'],
  ['digest', 'by a digest'],
  ['waiting', 'not yet'],
  ['silenced', 'no, silenced'],
  ['nobody', 'nobody'],
] as const

const listOf = openLists('/api/admin/incidents', (page: IncidentPage) => {
  const { incidents: rows, total, total_is_exact: exact, unapplied, next_cursor: next } = page
  return { rows, total, exact, unapplied, next }
})

/** The list of incidents, newest first. */
export const IncidentsPage = () => (
  <ListPage
    page="incidents"
    title="Incidents"
    label="Incidents, newest first"
    noun="incident"
    listOf={listOf}
    note={({ total, exact, unapplied = 0 }, filtered) => {
      const found = filtered ? `${count(total)}${exact === false ? ' or more' : ''} found` : count(total)
      return unapplied > 0 ? `${found}, ${count(unapplied)} not listed yet` : found
    }}
    total={({ newest, rows }) => Math.max(newest.value?.total ?? 0, rows.value.length)}
    heads={['Severity', 'Incident', 'Service', 'State', 'Channels', 'Received']}
    filters={FILTERS}
    placeholder="Search titles and payloads"
    selects={[
      ['status', 'Status', [ANY, 'firing', 'resolved']],
      ['severity', 'Severity'],
      ['service', 'Service'],
      ['channel', 'Channel'],
      ['source', 'Source'],
      ['notified', 'Notified', NOTIFIED],
    ]}
    nothing={<Nothing />}
    Row={Row}
    Detail={Detail}
  />
)

function Nothing() {
  const example = `curl -X POST ${location.origin}/api/incidents \\
  -H 'Content-Type: application/json' \\
  -d '{"ServiceName": "ledger", "Logs": "cannot write"}'`
  return (
    <Empty icon="incidents" title="No incident yet">
      <p>Point an alert manager at this service, or send an incident yourself:</p>
      <pre class="example">{example}</pre>
    </Empty>
  )
}
