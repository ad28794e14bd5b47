import type { ProblemRecord } from '../../../src/api/noise/problem.ts'
import type { RowProps } from '../../list/list-page.tsx'
import { ListRow } from '../../list/row-list.tsx'
import { count } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { IncidentState } from '../incidents/row.tsx'

/** One problem; the link opens its incidents. */
export const Row = ({ of, href, place }: RowProps<ProblemRecord>) => (
  <ListRow
    place={place}
    href={href}
    class={`incident-row row-link problem-row ${place.flat ? 'incident-flat problem-flat' : ''}`}
  >
    <Severity severity={of.state === 'firing' ? of.level : of.severity} short={!place.flat} />
    <span class="incident-title cut">{of.title}</span>
    <span class="incident-service cut">
      {of.service || <span class="quiet">no service</span>}
      {!place.flat && ` · ×${count(of.firing)}`}
    </span>
    <span class="incident-state">
      <ProblemState of={of} />
    </span>
    {place.flat && (
      <span class="problem-count">
        ×{count(of.firing)}
        <span class="hidden-text"> incidents</span>
      </span>
    )}
    <span class="incident-time quiet end">
      <Time at={of.last_at} />
    </span>
  </ListRow>
)

/** The score from which on changes of state are called flapping. */
const FLAPS = 4

/** The state of a problem: firing, acknowledged or resolved; flapping besides. */
export const ProblemState = ({ of }: { readonly of: ProblemRecord }) => (
  <>
    <IncidentState of={{ ...of, status: of.state }} />
    {of.flap_score >= FLAPS && (
      <Chip tone="warn" icon="again">
        Flapping
      </Chip>
    )}
  </>
)
