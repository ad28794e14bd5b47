import { useSignal } from '@preact/signals'
import type { ChangedIncident, RehearsalChange } from '../../../src/api/noise/rehearsal.ts'
import { href } from '../../app/route.ts'
import { plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'

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
export const Changes = ({ of }: { readonly of: readonly RehearsalChange[] }) => (
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
      {incidents.length > shown.value && (
        <button type="button" class="link-button" onClick={() => (shown.value *= 4)}>
          Show more
        </button>
      )}
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
