import type { IncidentRecord } from '../../../src/api/incident.ts'
import type { ProblemDetail, ProblemRecord } from '../../../src/api/noise/problem.ts'
import { post } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useActions } from '../../app/actions.ts'
import { usePageKeys } from '../../app/keys.ts'
import { NameField, named } from '../../app/person.tsx'
import { href, replaceUrl, route } from '../../app/route.ts'
import type { DetailProps } from '../../list/list-page.tsx'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Back } from '../../ui/page.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { span, Time } from '../../ui/time.tsx'
import { SilenceLink } from '../incidents/actions.tsx'
import { IncidentState, NotifyStatus } from '../incidents/row.tsx'
import { Answers } from './answers.tsx'
import { BriefCard } from './brief.tsx'
import { ProblemState } from './row.tsx'
import { Woken } from './woken.tsx'

/** One problem: its state, what can be done, its brief, and its latest incidents. */
export function Detail({ id, back }: DetailProps) {
  const problem = useResource<ProblemDetail>(`/api/admin/problems/${encodeURIComponent(id)}`, dataVersion)
  const { value } = problem
  return (
    <article class="detail stack gap-4" aria-label="Problem">
      <Back to={back}>All problems</Back>
      {value === undefined ? (
        <Pending of={problem} lines={8} />
      ) : (
        <>
          <Head of={value} changed={() => void problem.load()} />
          {value.brief && <Views id={id} />}
          {value.brief && !isHistory() ? (
            <BriefCard problem={id} />
          ) : (
            <>
              <Woken of={value.runs ?? []} />
              <Answers of={value.answers} />
              <Incidents of={value.incidents} />
            </>
          )}
        </>
      )}
    </article>
  )
}

const isHistory = () => route.value.query.get('view') === 'history'

const Views = ({ id }: { readonly id: string }) => (
  <div class="detail-views">
    <Tabs
      label="Views of the problem"
      tabs={{ '': 'Brief', history: 'History' }}
      chosen={isHistory() ? 'history' : ''}
      onChoose={(view) => replaceUrl(href('problems', id, { ...Object.fromEntries(route.value.query), view }))}
    />
  </div>
)

interface HeadProps {
  readonly of: ProblemDetail
  changed(): void
}

const ENDINGS = {
  sender: 'its sender',
  person: 'a person',
  quiet: 'quiet: no incident came for long',
} as const

function Head({ of, changed }: HeadProps) {
  const lastedMs = (of.state === 'firing' ? Date.now() : Date.parse(of.since)) - Date.parse(of.opened_at)
  return (
    <header class="detail-head stack gap-3">
      <div class="detail-marks row">
        <Severity severity={of.state === 'firing' ? of.level : of.severity} />
        <ProblemState of={of} />
      </div>
      <h1>{of.title}</h1>
      <dl class="facts">
        <Fact name={of.state === 'firing' ? 'Open since' : 'Was open from'} wide>
          <Time at={of.opened_at} as="whole" /> ({span(Math.max(0, lastedMs))})
        </Fact>
        {of.service !== '' && (
          <Fact name="Service">
            <a href={href('problems', '', { service: of.service })}>{of.service}</a>
          </Fact>
        )}
        <Fact name="Incidents">{incidentsOf(of)}</Fact>
        <TimeFact name="Last incident" at={of.last_at} />
        {of.acked_at && (
          <Fact name="Acknowledged">
            <Time at={of.acked_at} /> {of.acked_by && `by ${of.acked_by}`}
          </Fact>
        )}
        {of.ended_by && (
          <Fact name="Ended by">
            {ENDINGS[of.ended_by]}, <Time at={of.since} />
          </Fact>
        )}
        {of.claims?.map(({ sender, until }) => (
          <Fact key={sender} name="Reported by" wide>
            {sender || 'a sender before the restart'}, until <Time at={until} />
          </Fact>
        ))}
        {of.ends_at && <TimeFact name="Over without another incident" at={of.ends_at} as="age" />}
        <TimeFact name="First seen" wide at={of.first_at} as="whole" />
        <Fact name="Fingerprint" wide>
          <code class="break">{of.fingerprint}</code>
        </Fact>
      </dl>
      <Actions of={of} changed={changed} />
    </header>
  )
}

function incidentsOf({ firing, firing_total, resolved_total }: ProblemRecord): string {
  const before = firing_total - firing
  return `${count(firing)} since it opened${before > 0 ? `, ${count(before)} before` : ''}, ${count(resolved_total)} resolved`
}

/** Buttons to acknowledge, resolve and silence. They act on all open incidents of the problem. */
function Actions({ of, changed }: HeadProps) {
  const { busy, run } = useActions(changed)
  const act = (name: 'ack' | 'resolve', text: string) =>
    run(name, () => post(`/api/admin/problems/${of.id}/${name}`, named()).then(() => text))
  const open = of.state === 'firing'
  const acknowledgeable = open && of.acked_at === null
  const acknowledge = () => acknowledgeable && act('ack', 'Acknowledged')
  usePageKeys([{ key: 'a', description: 'Acknowledge this problem', run: acknowledge }])
  return (
    <div class="actions">
      {acknowledgeable && (
        <Button icon="person" primary busy={busy('ack')} onPress={acknowledge}>
          Acknowledge
        </Button>
      )}
      {open && (
        <Button icon="check" busy={busy('resolve')} onPress={() => act('resolve', 'Resolved')}>
          Resolve
        </Button>
      )}
      <SilenceLink text="Silence this" of={{ problem: String(of.id) }} />
      {open && <SilenceLink text="Silence until resolved" of={{ problem: String(of.id), until: 'resolved' }} />}
      {open && <NameField />}
    </div>
  )
}

/** The latest incidents of a problem, newest first. */
const Incidents = ({ of }: { readonly of: readonly IncidentRecord[] }) => (
  <Card
    title="Latest incidents"
    class="problem-incidents"
    aside={<p class="quiet">{of.length === 0 ? '' : plural(of.length, 'incident')}</p>}
  >
    {of.length === 0 ? (
      <p class="quiet">None is stored any more. The numbers above count them all.</p>
    ) : (
      <ul>
        {of.map((incident) => (
          <li key={incident.id}>
            <a class="problem-incident" href={href('incidents', incident.id)}>
              <Severity severity={incident.severity} short />
              <span class="cut">{incident.title}</span>
              <IncidentState of={incident} />
              <span class="problem-told">
                <NotifyStatus of={incident} />
              </span>
              <span class="quiet problem-at">
                <Time at={incident.created_at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </Card>
)
