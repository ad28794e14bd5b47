import type { IncidentPage } from '../../../src/api/incident.ts'
import type { Stats } from '../../../src/api/stats.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { dataVersion, stats } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty, LoadingLines, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Severity } from '../../ui/severity.tsx'
import { span, Time } from '../../ui/time.tsx'
import { ActorTable } from './actors.tsx'
import { Attention } from './attention.tsx'
import { ChannelTable } from './channels.tsx'
import { Charts } from './charts.tsx'
import { Figures } from './figures.tsx'
import { OnCallNow } from './oncall.tsx'
import { ReplicaTable } from './replicas.tsx'
import { Senders } from './senders.tsx'

/** Problems first, then figures, charts, channels, the latest incidents, senders, replicas that share a database, and threads. */
export function OverviewPage() {
  const { value } = stats
  return (
    <Page title="Overview" class="overview" note={value && <Uptime of={value} />}>
      {value === undefined ? (
        <LoadingLines lines={6} />
      ) : (
        <>
          <Attention />
          <OnCallNow />
          <Figures now={value} />
          <Charts />
          <div class="columns latest-columns">
            <ChannelTable now={value} />
            <Latest />
          </div>
          <Senders />
          {value.replicas && <ReplicaTable />}
          <ActorTable now={value} />
        </>
      )}
    </Page>
  )
}

const Uptime = ({ of }: { readonly of: Stats }) => (
  <>
    Up {span(of.uptime_ms)}, since <Time at={of.started_at} />
  </>
)

const SHOWN = 8

function Latest() {
  const latest = useResource<IncidentPage>(`/api/admin/incidents?limit=${SHOWN}`, dataVersion)
  const { value } = latest
  return (
    <Card title="Latest incidents" class="latest-card" aside={<a href={href('incidents')}>All incidents</a>}>
      {value === undefined ? (
        <Pending of={latest} />
      ) : value.incidents.length === 0 ? (
        <Empty icon="incidents" title="No incident yet">
          <p>
            Post one to <code>/api/incidents</code> and it appears here.
          </p>
        </Empty>
      ) : (
        <ul class="latest">
          {value.incidents.map(({ id, title, service, severity, status, created_at }) => (
            <li key={id}>
              <a class="latest-row" href={href('incidents', id)}>
                <Severity severity={severity} short />
                <span class="latest-title line">
                  <span class="cut">{title}</span>
                  {status === 'resolved' && <Resolved />}
                </span>
                <span class="latest-service quiet cut" title={service}>
                  {service}
                </span>
                <span class="latest-age quiet end">
                  <Time at={created_at} as="age" />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** Narrow cards show only the icon. */
const Resolved = () => (
  <Chip tone="good" icon="check" title="Resolved">
    <span class="latest-state">Resolved</span>
  </Chip>
)
