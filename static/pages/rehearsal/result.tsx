import { useSignal } from '@preact/signals'
import type {
  ChangedIncident,
  RehearsalChange,
  RehearsalHistory,
  RehearsalResult,
  RehearsalRun,
  RehearsedDestination,
} from '../../../src/api/noise/rehearsal.ts'
import { destinationName } from '../../../src/domain/delivery/delivery.ts'
import { href } from '../../app/route.ts'
import { Fact } from '../../ui/charts/figure.tsx'
import { count, latency, plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { MoreButton } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The difference between the configuration in force and the proposed one, the worst first. */
export function Result({ of }: { readonly of: RehearsalResult }) {
  const { history, changes, lost_criticals, in_force, proposed } = of
  const never = proposed.rules.filter(({ hits }) => hits === 0)
  return (
    <>
      <History of={history} />
      {history.partial !== null && (
        <p class="render-warning" role="alert">
          <Icon name="triangle" />
          Of the older part only: {history.partial.because}; up to {plural(history.partial.left_out, 'later incident')}{' '}
          were not rehearsed.
        </p>
      )}
      {lost_criticals > 0 && (
        <p class="render-warning render-error" role="alert">
          <Icon name="cross" />
          {plural(lost_criticals, 'critical incident')} would notify nobody.
        </p>
      )}
      {changes.length === 0 ? (
        <p class="rehearsal-same line">
          <Icon name="check" /> Every incident {history.partial === null ? '' : 'of this part '}would fare as it does
          now.
        </p>
      ) : (
        <Changes of={changes} />
      )}
      <h3>By destination</h3>
      <Destinations before={in_force.destinations} after={proposed.destinations} />
      <Totals before={in_force} after={proposed} />
      {proposed.rules.length > 0 && (
        <>
          <h3>Rules</h3>
          <ol class="rehearsal-rules">
            {proposed.rules.map(({ name, line, hits }) => (
              <li key={name} class="lined">
                <span class="break">{name}</span>
                <code class="quiet break">{line}</code>
                <span class="number">{hits === 0 ? <Chip tone="warn">never</Chip> : count(hits)}</span>
              </li>
            ))}
          </ol>
          {never.length > 0 && <p class="quiet">{plural(never.length, 'rule')} matched no incident of this history.</p>}
        </>
      )}
    </>
  )
}

const History = ({ of }: { readonly of: RehearsalHistory }) => (
  <p class="quiet small rehearsal-history">
    {plural(of.incidents, 'incident')} from <Time at={of.from} /> to <Time at={of.partial?.until ?? of.to} />
    {!of.complete && of.stored_since !== null && (
      <>
        ; older ones are not stored
        {of.max_incidents !== null && ` (storage.file.max_incidents is ${count(of.max_incidents)})`}
      </>
    )}
  </p>
)

const FIRST = 5

const KINDS = {
  lost: { tone: 'bad', text: 'would notify nobody' },
  silenced: { tone: 'bad', text: 'would be held by a silence for good' },
  page_lost: { tone: 'warn', text: 'would not page any more' },
  gained: { tone: 'info', text: 'would notify somebody, nobody is notified now' },
  page_gained: { tone: 'info', text: 'would page' },
  moved: { tone: 'plain', text: 'would go elsewhere' },
  page_moved: { tone: 'plain', text: 'would page other people' },
} as const

/** Incidents that would fare differently, grouped by what changes. */
const Changes = ({ of }: { readonly of: readonly RehearsalChange[] }) => (
  <ul class="rehearsal-changes">
    {of.map((change) => (
      <Change key={`${change.kind} ${change.level}`} of={change} />
    ))}
  </ul>
)

function Change({ of: { kind, level, count, incidents } }: { readonly of: RehearsalChange }) {
  const shown = useSignal(FIRST)
  const { tone, text } = KINDS[kind]
  return (
    <li class="rehearsal-change">
      <p class="row">
        <Severity severity={level} /> <strong>{plural(count, 'incident')}</strong> <Chip tone={tone}>{text}</Chip>
      </p>
      <ul>
        {incidents.slice(0, shown.value).map((incident) => (
          <Moved key={incident.id} of={incident} />
        ))}
      </ul>
      {incidents.length > shown.value && <MoreButton onPress={() => (shown.value *= 4)} />}
    </li>
  )
}

const Moved = ({ of: { id, title, service, at, before, after } }: { readonly of: ChangedIncident }) => (
  <li class="rehearsal-moved small">
    <a class="break" href={href('incidents', id)}>
      {title}
    </a>
    <span class="quiet">
      {service !== '' && `${service} · `}
      <Time at={at} />
    </span>
    <span class="rehearsal-way break">
      {before.join(', ') || 'nobody'} <span aria-hidden="true">→</span>
      <span class="hidden-text">becomes</span> <strong>{after.join(', ') || 'nobody'}</strong>
    </span>
  </li>
)

interface BothProps<T> {
  /** Under the configuration in force. */
  readonly before: T
  /** Under the proposed one. */
  readonly after: T
}

const COLUMNS = [
  ['by_message', 'Messages'],
  ['by_digest', 'In digests'],
  ['held', 'Held'],
] as const

/** One row for each destination of either run, with the numbers now and then. */
function Destinations({ before, after }: BothProps<readonly RehearsedDestination[]>) {
  const names = [...new Set([...before, ...after].map(destinationName))]
  const both = names.map((name) => ({
    name,
    was: before.find((each) => destinationName(each) === name),
    is: after.find((each) => destinationName(each) === name),
  }))
  return (
    <Table
      rows={both}
      id={({ name }) => name}
      columns={[
        ['Destination', ({ name }) => name],
        ...COLUMNS.map(
          ([key, title]) =>
            [
              title,
              ({ was, is }: (typeof both)[number]) => (
                <Becomes from={count(was?.[key] ?? 0)} to={count(is?.[key] ?? 0)} />
              ),
              { number: true },
            ] as const,
        ),
        [
          'Notified after, at most',
          ({ was, is }) => <Becomes from={latency(was?.notified_max_ms)} to={latency(is?.notified_max_ms)} />,
          { number: true },
        ],
      ]}
    />
  )
}

const TOTALS = [
  ['nobody', 'Notified nobody'],
  ['held', 'Held everywhere'],
  ['pages', 'Pages'],
  ['unmatched', 'Matched by no rule'],
] as const

/** The numbers of whole runs. */
const Totals = ({ before, after }: BothProps<RehearsalRun>) => (
  <dl class="facts rehearsal-totals">
    {TOTALS.map(([key, title]) => (
      <Fact key={key} name={title}>
        <Becomes from={count(before[key])} to={count(after[key])} />
      </Fact>
    ))}
  </dl>
)

const Becomes = ({ from, to }: { readonly from: string; readonly to: string }) =>
  from === to ? (
    <span>{to}</span>
  ) : (
    <>
      <span class="quiet">{from}</span> <span aria-hidden="true">→</span>
      <span class="hidden-text">becomes</span> <strong>{to}</strong>
    </>
  )
