import type { SilenceDetail } from '../../../src/api/noise/silence.ts'
import { patch, remove } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { useActions } from '../../app/actions.ts'
import { usePageKeys } from '../../app/keys.ts'
import { named } from '../../app/person.tsx'
import { href, navigate } from '../../app/route.ts'
import { dataVersion } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Pending } from '../../ui/empty.tsx'
import { Button } from '../../ui/field.tsx'
import { Back } from '../../ui/page.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { Time } from '../../ui/time.tsx'
import { Ends } from './ends.tsx'

/** One silence: when it holds, what it holds, and the buttons to extend and end it. */
export function Detail({ id }: { readonly id: string }) {
  const silence = useResource<SilenceDetail>(`/api/admin/silences/${encodeURIComponent(id)}`, dataVersion)
  const { value } = silence
  usePageKeys([{ key: 'Escape', description: 'Back to the silences', run: () => navigate(href('silences')) }])
  return (
    <div class="page stack gap-4">
      <Back to={href('silences')}>Silences</Back>
      {value === undefined ? (
        <Pending of={silence} lines={8} />
      ) : (
        <article class="stack gap-3" aria-label="Silence">
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
    <header class="card detail-head stack gap-3">
      <div class="detail-marks row">
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
        {of.parent !== null && (
          <a href={`/silences/${of.parent}`}>
            <Chip tone="plain">Of silence {of.parent}</Chip>
          </a>
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
        {of.children > 0 && <Fact name="In force for">{plural(of.children, 'set')} of values</Fact>}
        {of.quiet_for !== null && (
          <Fact name="Ends early" wide>
            when no problem that fits has fired for {of.quiet_for}
            {of.quiet_ends_at !== null && of.state === 'active' && (
              <>
                : <Time at={of.quiet_ends_at} as="whole" />, unless one fires
              </>
            )}
          </Fact>
        )}
        {of.problem !== null && (
          <Fact name="Problem">
            <a href={href('problems', String(of.problem))}>{of.problem}</a>
          </Fact>
        )}
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
        of.parent === null &&
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
  const { busy, run } = useActions(changed)
  const path = `/api/admin/silences/${of.id}`
  const extend = (hours: number, text: string) => {
    const ends_at = new Date(Date.parse(of.ends_at ?? '') + hours * HOUR_MS).toISOString()
    run(text, () => patch(path, { ends_at }).then(() => `Extended by ${text}`))
  }
  const query = new URLSearchParams(named())
  const end = () => remove(query.size === 0 ? path : `${path}?${query}`).then(() => 'The silence is over')
  return (
    <div class="actions">
      {of.schedule === null &&
        of.ends_at !== null &&
        EXTENSIONS.map(([hours, text]) => (
          <Button icon="clock" key={text} busy={busy(text)} onPress={() => extend(hours, text)}>
            Extend by {text}
          </Button>
        ))}
      <ConfirmButton
        icon="check"
        busy={busy('end')}
        ask="End this silence?"
        action="End it"
        text="What it holds and still fires is sent at once, and its pages are armed again."
        confirm={() => run('end', end)}
      >
        {of.until === null ? 'End now' : 'End for good'}
      </ConfirmButton>
    </div>
  )
}

const Causes = ({ of }: { readonly of: SilenceDetail }) =>
  of.causes.length === 0 ? null : (
    <Card title={of.until_resolved ? 'Lasts because of' : 'In force because of'}>
      <ul class="digest-problems">
        {of.causes.map((cause) => (
          <ProblemLine
            key={cause.problem}
            of={cause}
            href={href('problems', String(cause.problem))}
            about={<Time before="since " at={cause.since} />}
          />
        ))}
      </ul>
    </Card>
  )

const Held = ({ of: { state, held, problems } }: { readonly of: SilenceDetail }) => (
  <Card title={state === 'active' ? 'Held now' : 'Held'} aside={held && <p class="quiet">{heldText(held)}</p>}>
    {problems.length === 0 ? (
      <p class="quiet">{held === null ? 'No window has begun yet.' : 'Nothing.'}</p>
    ) : (
      <ul class="digest-problems">
        {problems.map((problem) => (
          <ProblemLine
            key={problem.fingerprint}
            of={problem}
            href={href('incidents', problem.incident_id)}
            about={
              <>
                <Time at={problem.last_at} />
                {problem.destinations.length > 0 && ` · for ${problem.destinations.join(', ')}`}
              </>
            }
          >
            <strong class="digest-count">×{count(problem.alerts)}</strong>
            <State of={problem.status} />
          </ProblemLine>
        ))}
      </ul>
    )}
  </Card>
)

const heldText = ({ alerts, problems, firing, resolved, pages }: NonNullable<SilenceDetail['held']>) =>
  `${plural(alerts, 'incident')} of ${plural(problems, 'problem')}: ${count(firing)} firing, ${count(resolved)} resolved, ${plural(pages, 'page')}`
