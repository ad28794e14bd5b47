import type { IncidentRecord } from '../../../src/api/incident.ts'
import { href } from '../../app/route.ts'
import { Card } from '../../ui/card.tsx'
import { plural } from '../../ui/charts/numbers.ts'
import { Severity } from '../../ui/severity.tsx'
import { Time } from '../../ui/time.tsx'
import { IncidentState, NotifyStatus } from '../incidents/row.tsx'

/** The latest incidents of a problem, newest first. */
export const Incidents = ({ of }: { readonly of: readonly IncidentRecord[] }) => (
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
