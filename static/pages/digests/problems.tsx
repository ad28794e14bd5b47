import { useSignal } from '@preact/signals'
import type { DigestProblem } from '../../../src/api/noise/digest.ts'
import { href } from '../../app/route.ts'
import { State } from '../../ui/chip.tsx'
import { Search } from '../../ui/field.tsx'
import { count, plural } from '../../ui/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'

const FIRST = 12

interface ProblemsProps {
  readonly of: readonly DigestProblem[]
  /** Number of all problems, of which `of` holds the loudest. */
  readonly total: number
}

/** The problems of a digest, loudest first, with a search by title and service. */
export function Problems({ of, total }: ProblemsProps) {
  const words = useSignal('')
  const shown = useSignal(FIRST)
  const wanted = words.value.trim().toLowerCase()
  const found = of.filter(({ title, service }) => `${title} ${service}`.toLowerCase().includes(wanted))
  return (
    <section class="card">
      <header class="card-head">
        <h2>{plural(total, 'problem')}</h2>
        <Search
          label="Search the problems"
          placeholder="Title or service"
          value={words.value}
          onChange={(next) => (words.value = next)}
        />
      </header>
      <ul class="digest-problems">
        {found.slice(0, shown.value).map((problem) => (
          <Problem key={problem.fingerprint} of={problem} />
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No problem matches.</p>}
      {found.length > shown.value && (
        <button type="button" class="link-button" onClick={() => (shown.value *= 4)}>
          Show more
        </button>
      )}
      {total > of.length && <p class="quiet">The quietest {count(total - of.length)} are not listed.</p>}
    </section>
  )
}

const Problem = ({ of }: { readonly of: DigestProblem }) => (
  <li class="digest-problem">
    <Severity severity={of.severity} short />
    <span class="digest-title">
      <a class="break" href={href('incidents', of.last_incident_id)}>
        {of.title}
      </a>
      <span class="quiet">
        {of.service !== '' && `${of.service} · `}
        <Time at={of.first_at} />
        {of.first_incident_id !== of.last_incident_id && (
          <>
            {' – '}
            <Time at={of.last_at} />
          </>
        )}
      </span>
    </span>
    <strong class="digest-count">
      ×{count(of.firing + of.resolved + of.singly)}
      {of.told < of.firing + of.resolved && (
        <span class="quiet"> ({count(of.firing + of.resolved - of.told)} new)</span>
      )}
    </strong>
    <State of={of.status} />
  </li>
)
