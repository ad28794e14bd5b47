import type { DigestDetail } from '../../../src/api/noise/digest.ts'
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
import { Back } from '../../ui/page.tsx'
import { Severity } from '../../ui/severity.tsx'
import { span } from '../../ui/time.tsx'
import { Places } from './places.tsx'
import { Problems } from './problems.tsx'
import { Revisions } from './revisions.tsx'

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

function Head({ of }: { readonly of: DigestDetail }) {
  const { number, channel, target, state, incidents, notified, problems, opened_at, closed_at, next_update_at } = of
  const isStorm = of.kind === 'storm'
  const levels = Object.entries(of.severities).filter(([, each]) => each > 0)
  return (
    <header class="card stack gap-2">
      <div class="detail-marks row">
        <State of={state === 'open' && !isStorm ? 'open' : STATES[state]} />
        {of.may_duplicate && (
          <Chip tone="warn" icon="copy">
            An update may have been delivered twice
          </Chip>
        )}
      </div>
      <h1>
        {DIGESTS[of.kind]} {number} for {destinationName({ channel, target })}
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
        <Fact name="Lasted">
          {closed_at === null ? 'still open' : span(Date.parse(closed_at) - Date.parse(opened_at))}
        </Fact>
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
