import type { DoorList, DoorStatus } from '../../../src/api/door.ts'
import type { IncidentPage } from '../../../src/api/incident.ts'
import type { Stats } from '../../../src/api/stats.ts'
import { useResource } from '../../api/resource.ts'
import { href } from '../../app/route.ts'
import { dataVersion, refreshClock, stats } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/charts/figure.tsx'
import { count, latency, percent, plural, rate, short } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Empty, LoadingLines, Pending } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Table } from '../../ui/table.tsx'
import { span, Time } from '../../ui/time.tsx'
import { ActorTable } from './actors.tsx'
import { Attention } from './attention.tsx'
import { ChannelTable } from './channels.tsx'
import { Charts } from './charts.tsx'
import { OnCallNow } from './oncall.tsx'
import { ReplicaTable } from './replicas.tsx'

/** Problems first, then figures, charts, channels, the latest incidents, senders, replicas that share a database, and threads. */
export function OverviewPage() {
  const { value } = stats
  return (
    <Page
      title="Overview"
      class="overview"
      note={value && <Time before={`Up ${span(value.uptime_ms)}, since `} at={value.started_at} />}
    >
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

const NAMES: { readonly [door: string]: string } = {
  alertmanager: 'Alertmanager API',
  pagerduty: 'PagerDuty events',
  opsgenie: 'Opsgenie alerts',
  pings: 'Pings',
  otlp: 'OTLP logs',
}

/** The doors in the shape of other programs' APIs that somebody has called, and those that are on. */
function Senders() {
  const list = useResource<DoorList>('/api/admin/doors', refreshClock)
  const { value } = list
  if (value?.doors.every(({ open, last_at }) => !open && last_at === null)) return undefined
  return (
    <Card title="Senders" aside={<p class="quiet">Doors in the shape of other programs’ APIs, since the start</p>}>
      {value === undefined ? (
        <Pending of={list} />
      ) : (
        <Table
          rows={value.doors}
          id={({ name }) => name}
          columns={[
            ['Door', (door) => <Name of={door} />],
            ['Requests a minute', ({ last_minute }) => count(last_minute), { number: true }],
            ['Last request', ({ last_at: at }) => (at === null ? 'none' : <Time at={at} as="age" />)],
            ['Refused', refusedOf],
            ['Requests in all', ({ codes }) => count(sumOf(codes)), { number: true }],
          ]}
        />
      )}
    </Card>
  )
}

const LEAST_REFUSAL = 400

const Name = ({ of: { name, open } }: { readonly of: DoorStatus }) => (
  <>
    {NAMES[name] ?? name} {!open && <Chip tone="plain">off</Chip>}
  </>
)

function refusedOf({ codes }: DoorStatus): string {
  const refused = Object.entries(codes).filter(([code]) => Number(code) >= LEAST_REFUSAL)
  return refused.map(([code, times]) => `${code}: ${count(times)}`).join(', ') || '–'
}
const sumOf = (codes: DoorStatus['codes']) => Object.values(codes).reduce((sum, times) => sum + times, 0)

/** The main numbers of the service, in large figures. */
function Figures({ now }: { readonly now: Stats }) {
  const { ingest, storage } = now
  const channels = Object.values(now.deliveries)
  const total = (name: 'sent_total' | 'dead_total') => channels.reduce((sum, each) => sum + each[name], 0)
  const finished = total('sent_total') + total('dead_total')
  const refused = Object.values(ingest.refused_total).reduce((sum, each) => sum + each, 0)
  const oldest = Math.max(0, ...channels.map((each) => each.oldest_pending_age_ms ?? 0))
  return (
    <dl class="figures">
      <Figure name="Accepted" value={rate(ingest.accepted_per_s)} unit="/s">
        {count(ingest.accepted_total)} in total{refused > 0 && `, ${count(refused)} refused`}
      </Figure>
      <Figure name="Time to disk" value={latency(ingest.commit_ms.p50)}>
        median; p99 is {latency(ingest.commit_ms.p99)}
      </Figure>
      <Figure name="Delivered" value={finished === 0 ? '–' : percent(total('sent_total') / finished)}>
        {count(total('sent_total'))} sent, {count(total('dead_total'))} dead
      </Figure>
      <Figure name="Backlog" value={storage === null ? '–' : short(storage.unfinished_deliveries)}>
        {storage?.unfinished_deliveries === 0 ? 'all deliveries are finished' : `the oldest has waited ${span(oldest)}`}
        {storage !== null && storage.unapplied > 0 && unappliedText(storage)}
      </Figure>
      <Figure name="On call" value={now.oncall.armed === null ? '–' : count(now.oncall.armed)} unit=" armed">
        {pagedText(now.oncall)}
      </Figure>
    </dl>
  )
}

const unappliedText = ({ unapplied, apply_lag_ms }: NonNullable<Stats['storage']>) =>
  `; ${plural(unapplied, 'incident')} not applied yet, ${span(apply_lag_ms)} behind`

function pagedText({ paged_total }: Stats['oncall']): string {
  const paged = Object.entries(paged_total).filter(([, n]) => n > 0)
  return paged.length === 0
    ? 'no page sent yet'
    : paged.map(([outcome, n]) => `${plural(n, 'page')} ${outcome}`).join(', ')
}
