import { useSignal } from '@preact/signals'
import type { DigestProblem } from '../../../src/api/noise/digest.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { count, plural } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Search } from '../../ui/field.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
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
      {found.length > shown.value && (
        <button type="button" class="link-button" onClick={() => (shown.value *= 4)}>
          Show more
        </button>
      )}
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
    {of.first_incident_id !== of.last_incident_id && (
      <>
        {' – '}
        <Time at={of.last_at} />
      </>
    )}
  </>
)
