import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { Explanation } from '../../../src/api/noise/explain.ts'
import type { OncallDetail } from '../../../src/api/oncall/oncall.ts'
import { useResource } from '../../api/resource.ts'
import { href, replaceUrl, route } from '../../app/route.ts'
import type { DetailProps } from '../../list/list-page.tsx'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Fact } from '../../ui/charts/figure.tsx'
import { State } from '../../ui/chip.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Back } from '../../ui/page.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Steps } from '../../ui/steps.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Tree } from '../../ui/tree.tsx'
import { Answers } from '../problems/answers.tsx'
import { Actions } from './actions.tsx'
import { Attempts } from './attempts.tsx'
import { Deliveries } from './deliveries.tsx'
import { IncidentState, NotifyStatus } from './row.tsx'
import { Waterfall } from './waterfall.tsx'

/** All data of one incident: state, timeline, deliveries, on-call and payload. */
export function Detail({ id, back }: DetailProps) {
  const incident = useResource<IncidentDetail>(`/api/admin/incidents/${encodeURIComponent(id)}`, dataVersion)
  const { value } = incident
  return (
    <article class="detail stack gap-4" aria-label="Incident">
      <Back to={back}>All incidents</Back>
      {value === undefined ? (
        <Pending of={incident} lines={8} />
      ) : (
        <>
          <Head of={value} changed={() => void incident.load()} />
          <Views id={id} />
          {isWhy() ? <Why id={id} /> : <Record of={value} />}
        </>
      )}
    </article>
  )
}

const isWhy = () => route.value.query.get('view') === 'why'

const Views = ({ id }: { readonly id: string }) => (
  <div class="detail-views">
    <Tabs
      label="Views of the incident"
      tabs={{ '': 'Record', why: 'Why' }}
      chosen={isWhy() ? 'why' : ''}
      onChoose={(view) => replaceUrl(href('incidents', id, { ...Object.fromEntries(route.value.query), view }))}
    />
  </div>
)

const Record = ({ of }: { readonly of: IncidentDetail }) => (
  <>
    <Waterfall of={of} />
    <Deliveries of={of} />
    <Answers of={of.answers} />
    {of.oncall && <OnCallCard of={of.oncall} />}
    <Card title="Payload" aside={<Copy text={JSON.stringify(of.content, undefined, 2)} />}>
      <Tree value={of.content} />
    </Card>
  </>
)

function Head({ of, changed }: { readonly of: IncidentDetail; changed(): void }) {
  return (
    <header class="detail-head stack gap-3">
      <div class="detail-marks row">
        <Severity severity={of.severity} />
        <IncidentState of={of} />
        <NotifyStatus of={of} />
      </div>
      <h1>{of.title}</h1>
      <dl class="facts">
        <Fact name="Received" wide>
          <Time at={of.created_at} as="whole" /> (<Time at={of.created_at} as="age" />)
        </Fact>
        {of.service !== '' && (
          <Fact name="Service">
            <a href={href('incidents', '', { service: of.service })}>{of.service}</a>
          </Fact>
        )}
        <Fact name="Sender">{`${of.sender.replaceAll('_', ' ')}, by ${of.source}`}</Fact>
        {of.warnings.length > 0 && (
          <Fact name="Without effect" wide>
            {of.warnings.join('; ')}
          </Fact>
        )}
        {of.acked_at && (
          <Fact name="Acknowledged">
            <Time at={of.acked_at} /> {of.acked_by && `by ${of.acked_by}`}
          </Fact>
        )}
        {of.silence !== null && (
          <Fact name="Silence">
            <a href={href('silences', String(of.silence))}>{of.silence}</a>
          </Fact>
        )}
        {of.resolved_at && (
          <Fact name="Resolved">
            <Time at={of.resolved_at} />{' '}
            {of.reported_status === 'firing' && 'by a person; the sender reported it as firing'}
          </Fact>
        )}
        <Fact name="Id" wide>
          <code class="break">{of.id}</code>
        </Fact>
      </dl>
      <Actions of={of} changed={changed} />
    </header>
  )
}

function Copy({ text }: { readonly text: string }) {
  return (
    <Button look="plain" icon="copy" onPress={() => void navigator.clipboard?.writeText(text)}>
      Copy
    </Button>
  )
}

/** Who was notified of the incident, and why, step by step. */
function Why({ id }: { readonly id: string }) {
  const explanation = useResource<Explanation>(`/api/admin/incidents/${encodeURIComponent(id)}/explain`, dataVersion)
  const { value } = explanation
  return (
    <Card
      title="Who was notified, and why"
      label="Why"
      aside={value?.configuration === 'now' && <p class="quiet">lines of the configuration as it is now</p>}
    >
      {value === undefined ? <Pending of={explanation} lines={6} /> : <Steps of={value.decisions} label="Decisions" />}
    </Card>
  )
}

/** The on-call state of an incident, with the attempts to page. */
function OnCallCard({ of }: { readonly of: OncallDetail }) {
  return (
    <Card title="On call" aside={<State of={of.state} />}>
      <dl class="facts">
        {of.provider !== null && <Fact name="Provider">{of.provider}</Fact>}
        {of.due_at && of.state !== 'joined' && (
          <Fact name={of.paged_at ? 'Was due' : 'Pages'}>
            <Time at={of.due_at} /> (<Time at={of.due_at} as="age" />)
          </Fact>
        )}
        {of.paged_at && (
          <Fact name="Paged">
            <Time at={of.paged_at} /> {(of.late_ms ?? 0) > 1_000 && `, ${span(of.late_ms ?? 0)} late`}
          </Fact>
        )}
        {of.dedup_key && (
          <Fact name="Dedup key">
            <code class="break">{of.dedup_key}</code>
          </Fact>
        )}
      </dl>
      {of.attempts.length > 0 && <Attempts of={of.attempts} label="Attempts to page" />}
    </Card>
  )
}
