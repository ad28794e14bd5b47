import { useSignal } from '@preact/signals'
import type { DigestDetail, DigestProblem, DigestRecord, DigestUpdate } from '../../../src/api/noise/digest.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { useResource } from '../../api/resource.ts'
import { usePageKeys } from '../../app/keys.ts'
import { href, navigate, route } from '../../app/route.ts'
import { refreshClock } from '../../live/stats.ts'
import { DigestMessage } from '../../preview/digest.tsx'
import { Card } from '../../ui/card.tsx'
import { Fact, TimeFact } from '../../ui/charts/figure.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Chip, State } from '../../ui/chip.tsx'
import { Countdown } from '../../ui/countdown.tsx'
import { Pending } from '../../ui/empty.tsx'
import { MoreButton, Search } from '../../ui/field.tsx'
import { Back } from '../../ui/page.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { Severity } from '../../ui/severity.tsx'
import { span, Time } from '../../ui/time.tsx'
import { Places } from './places.tsx'

/** One digest: its message, its problems, its updates and every place. */
export function DigestPage() {
  const { rest } = route.value
  usePageKeys([{ key: 'Escape', description: 'Back to the page of noise', run: () => navigate(href('noise')) }])
  return (
    <div class="page stack gap-4">
      <Back to={href('noise')}>Noise</Back>
      <Digest key={rest} number={rest} />
    </div>
  )
}

function Digest({ number }: { readonly number: string }) {
  const digest = useResource<DigestDetail>(`/api/admin/digests/${encodeURIComponent(number)}`, refreshClock)
  const { value } = digest
  const place = Number(route.value.query.get('place') ?? 1)
  if (value === undefined) return <Pending of={digest} lines={8} />
  return (
    <>
      <Head of={value} />
      <div class="digest-columns columns">
        {(value.kind === 'storm' || value.kind === 'group') && (
          <Problems of={value.problem_list} total={value.problems} />
        )}
        <div class="digest-side stack gap-4">
          <Sent of={value} />
          <Revisions of={value.updates} />
        </div>
      </div>
      <Places number={value.number} folded={value.incidents} stored={value.stored} from={place} />
    </>
  )
}

const DIGESTS = {
  storm: 'Digest',
  repeats: 'Repeats, digest',
  flapping: 'Flapping, digest',
  group: 'Group, digest',
} as const
const STATES = { open: 'storm', closed: 'over', dead: 'dead' } as const
/** An open digest is a storm, or one of a problem or a group. */
export const DigestState = ({ of: { kind, state } }: { readonly of: DigestRecord }) => (
  <State of={state === 'open' && kind !== 'storm' ? 'open' : STATES[state]} />
)
export const lastedOf = ({ opened_at, closed_at }: DigestRecord) =>
  closed_at === null ? 'still open' : span(Date.parse(closed_at) - Date.parse(opened_at))

function Head({ of }: { readonly of: DigestDetail }) {
  const { number, incidents, notified, problems, opened_at, closed_at, next_update_at } = of
  const levels = Object.entries(of.severities).filter(([, each]) => each > 0)
  return (
    <header class="card stack gap-2">
      <div class="detail-marks row">
        <DigestState of={of} />
        {of.may_duplicate && (
          <Chip tone="warn" icon="copy">
            An update may have been delivered twice
          </Chip>
        )}
      </div>
      <h1>
        {DIGESTS[of.kind]} {number} for {destinationName(of)}
      </h1>
      <p>
        {plural(incidents, 'incident')} of {plural(problems, 'problem')}
        {of.by_message > 0 && `, and ${count(of.by_message)} in messages of their own`}
        {notified < incidents && `, ${count(incidents - notified)} not notified yet`}
      </p>
      {of.dead_reason !== null && <p class="error-text">Given up: {of.dead_reason}</p>}
      <ul class="digest-levels small" aria-label="Incidents by severity">
        {levels.map(([level, each]) => (
          <li key={level}>
            <Severity severity={level} /> {count(each)}
          </li>
        ))}
        {of.resolved > 0 && (
          <li>
            <State of="resolved" /> {count(of.resolved)}
          </li>
        )}
      </ul>
      <dl class="facts">
        <TimeFact name="Opened" at={opened_at} as="whole" />
        <Fact name="Lasted">{lastedOf(of)}</Fact>
        {closed_at === null && (
          <Fact name="Next update">
            {next_update_at === null ? 'none: nothing waits' : <Countdown at={next_update_at} />}
          </Fact>
        )}
      </dl>
    </header>
  )
}

const Sent = ({ of }: { readonly of: DigestDetail }) => (
  <Card title="The message">
    {of.text === null ? <p class="quiet">Nothing was sent of it yet.</p> : <DigestMessage of={of} text={of.text} />}
  </Card>
)

const SHOWN = 20

/** The latest updates of a digest: when each was sent, and up to which place. */
function Revisions({ of }: { readonly of: readonly DigestUpdate[] }) {
  return (
    <Card title="Updates" aside={of.length > SHOWN && <p class="quiet">the last {SHOWN}</p>}>
      {of.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <ol class="digest-revisions small" reversed>
          {of.slice(0, SHOWN).map(({ number, through, way, notified_at }) => (
            <li key={number}>
              <span class="quiet">{number}</span>
              <Chip tone={way === 'post' ? 'info' : 'plain'} icon={way === 'post' ? 'send' : 'again'}>
                {way === 'post' ? 'Posted' : 'Edited'}
              </Chip>
              <span>through place {count(through)}</span>
              <Time at={notified_at} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}

const FIRST = 12

interface ProblemsProps {
  readonly of: readonly DigestProblem[]
  /** Number of all problems, of which `of` holds the loudest. */
  readonly total: number
}

/** The problems of a digest, loudest first, with a search by title and service. */
function Problems({ of, total }: ProblemsProps) {
  const words = useSignal('')
  const shown = useSignal(FIRST)
  const wanted = words.value.trim().toLowerCase()
  const found = of.filter(({ title, service }) => `${title} ${service}`.toLowerCase().includes(wanted))
  return (
    <Card
      title={plural(total, 'problem')}
      aside={<Search label="Search the problems" placeholder="Title or service" text={words} />}
    >
      <ul class="digest-problems">
        {found.slice(0, shown.value).map((problem) => (
          <Problem key={problem.fingerprint} of={problem} />
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No problem matches.</p>}
      {found.length > shown.value && <MoreButton onPress={() => (shown.value *= 4)} />}
      {total > of.length && <p class="quiet">The quietest {count(total - of.length)} are not listed.</p>}
    </Card>
  )
}

const Problem = ({ of }: { readonly of: DigestProblem }) => (
  <ProblemLine of={of} href={href('incidents', of.last_incident_id)} about={<Between of={of} />}>
    <strong class="digest-count">
      ×{count(of.firing + of.resolved + of.by_message)}
      {of.notified < of.firing + of.resolved && (
        <span class="quiet"> ({count(of.firing + of.resolved - of.notified)} new)</span>
      )}
    </strong>
    <State of={of.status} />
  </ProblemLine>
)

const Between = ({ of }: { readonly of: DigestProblem }) => (
  <>
    <Time at={of.first_at} />
    {of.first_incident_id !== of.last_incident_id && <Time before=" – " at={of.last_at} />}
  </>
)
