import { useSignal } from '@preact/signals'
import type { SilenceDetail } from '../../../src/api/noise/silence.ts'
import { patch, remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { usePageKeys } from '../../app/keys.ts'
import { attempt } from '../../app/notices.tsx'
import { personName } from '../../app/person.tsx'
import { href, navigate } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Chip, State } from '../../ui/chip.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Fact, TimeFact } from '../../ui/figure.tsx'
import { Icon } from '../../ui/icon.tsx'
import { count, plural } from '../../ui/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { Ends } from './ends.tsx'

/** One silence: when it holds, what it holds, and the buttons to extend and end it. */
export function Detail({ id }: { readonly id: string }) {
  const silence = useResource<SilenceDetail>(`/api/admin/silences/${encodeURIComponent(id)}`, dataVersion)
  const { value } = silence.state.value
  usePageKeys([{ key: 'Escape', description: 'Back to the silences', run: () => navigate(href('silences')) }])
  return (
    <div class="page">
      <a class="back" href={href('silences')}>
        <Icon name="left" />
        Silences
      </a>
      {value === undefined ? (
        <Pending of={silence} lines={8} />
      ) : (
        <article class="silence-detail" aria-label="Silence">
          <Head of={value} changed={() => void silence.load()} />
          <Causes of={value} />
          <Held of={value} />
        </article>
      )}
    </div>
  )
}

interface HeadProps {
  readonly of: SilenceDetail
  changed(): void
}

function Head({ of, changed }: HeadProps) {
  const recurring = of.schedule !== null
  return (
    <header class="card detail-head">
      <div class="detail-marks">
        <State of={of.state} />
        {recurring && (
          <Chip tone="info" icon="again">
            Recurring
          </Chip>
        )}
        {of.while_text !== null && (
          <Chip tone="info" icon="again">
            While a problem fires
          </Chip>
        )}
        {of.origin === 'config' && (
          <Chip tone="plain" icon="config">
            From the configuration
          </Chip>
        )}
      </div>
      <h1>{of.name}</h1>
      <p class="mono break">{of.text}</p>
      <dl class="facts">
        <TimeFact name={recurring ? 'Window' : 'From'} wide at={of.starts_at} as="whole" />
        <Fact name="To" wide>
          {of.ends_at !== null ? (
            <>
              <Time at={of.ends_at} as="whole" /> (<Ends of={of} />)
            </>
          ) : of.while_text === null ? (
            'no window comes'
          ) : (
            <Ends of={of} />
          )}
        </Fact>
        {of.until !== null && <TimeFact name={recurring ? 'Recurs until' : 'At most until'} at={of.until} as="whole" />}
        {of.schedule?.map((window, nth) => (
          <Fact key={nth} name="Schedule">
            {window.cron ?? window.rrule}, for {window.for}, {window.time_zone}
          </Fact>
        ))}
        {of.until_resolved && <Fact name="Ends early">when nothing that it holds fires</Fact>}
        <Fact name="Owner">{of.owner}</Fact>
        <Fact name="Held in all">{plural(of.held_total, 'incident')}</Fact>
        {of.last_held_at !== null && <TimeFact name="Held last" at={of.last_held_at} />}
        {of.ended_by !== null && <Fact name="Ended by">{of.ended_by}</Fact>}
        {of.line !== null && (
          <Fact name="Line">
            <code class="break">{of.line}</code>
          </Fact>
        )}
        <Fact name="Comment" wide>
          {of.comment}
        </Fact>
      </dl>
      {of.state !== 'ended' &&
        (of.origin === 'config' ? (
          <p class="quiet">It stands in the configuration: change it there, and reload.</p>
        ) : (
          <Actions of={of} changed={changed} />
        ))}
    </header>
  )
}

const HOUR_MS = 3_600_000
const EXTENSIONS = [
  [1, '1 h'],
  [4, '4 h'],
  [24, '1 day'],
] as const

function Actions({ of, changed }: HeadProps) {
  const busy = useSignal('')
  const asking = useSignal(false)
  const run = async (name: string, text: string, work: () => Promise<unknown>) => {
    busy.value = name
    await attempt(work, () => text)
    busy.value = ''
    changed()
  }
  const path = `/api/admin/silences/${of.id}`
  const extend = (hours: number, text: string) => {
    const ends_at = new Date(Date.parse(of.ends_at ?? '') + hours * HOUR_MS).toISOString()
    void run(text, `Extended by ${text}`, () => patch(path, { ends_at }))
  }
  const by = personName()
  const end = () =>
    run('end', 'The silence is over', () => remove(`${path}${by === '' ? '' : `?by=${encodeURIComponent(by)}`}`))
  return (
    <div class="actions">
      {of.schedule === null &&
        of.ends_at !== null &&
        EXTENSIONS.map(([hours, text]) => (
          <Button icon="clock" key={text} busy={busy.value === text} onPress={() => extend(hours, text)}>
            Extend by {text}
          </Button>
        ))}
      <Button icon="check" busy={busy.value === 'end'} onPress={() => (asking.value = true)}>
        {of.until === null ? 'End now' : 'End for good'}
      </Button>
      {asking.value && (
        <Confirm
          title="End this silence?"
          action="End it"
          confirm={() => void end()}
          close={() => (asking.value = false)}
        >
          <p>What it holds and still fires is told at once, and its pages are armed again.</p>
        </Confirm>
      )}
    </div>
  )
}

function Causes({ of }: { readonly of: SilenceDetail }) {
  if (of.causes.length === 0) return null
  return (
    <Card title="In force because of">
      <ul class="digest-problems">
        {of.causes.map(({ problem, title, service, severity, since }) => (
          <li key={problem} class="digest-problem">
            <Severity severity={severity} short />
            <span class="digest-title">
              <a class="break" href={href('problems', String(problem))}>
                {title}
              </a>
              <span class="quiet">
                {service !== '' && `${service} · `}since <Time at={since} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Held({ of }: { readonly of: SilenceDetail }) {
  const { held, problems } = of
  return (
    <section class="card">
      <header class="card-head">
        <h2>{of.state === 'active' ? 'Held now' : 'Held'}</h2>
        {held !== null && (
          <p class="quiet">
            {plural(held.alerts, 'incident')} of {plural(held.problems, 'problem')}: {count(held.firing)} firing,{' '}
            {count(held.resolved)} resolved, {plural(held.pages, 'page')}
          </p>
        )}
      </header>
      {problems.length === 0 ? (
        <p class="quiet">{held === null ? 'No window has begun yet.' : 'Nothing.'}</p>
      ) : (
        <ul class="digest-problems">
          {problems.map((problem) => (
            <li key={problem.fingerprint} class="digest-problem">
              <Severity severity={problem.severity} short />
              <span class="digest-title">
                <a class="break" href={href('incidents', problem.incident_id)}>
                  {problem.title}
                </a>
                <span class="quiet">
                  {problem.service !== '' && `${problem.service} · `}
                  <Time at={problem.last_at} />
                  {problem.destinations.length > 0 && ` · for ${problem.destinations.join(', ')}`}
                </span>
              </span>
              <strong class="digest-count">×{count(problem.alerts)}</strong>
              <State of={problem.status} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
