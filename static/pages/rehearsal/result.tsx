import type { RehearsalHistory, RehearsalResult } from '../../../src/api/noise/rehearsal.ts'
import { count, plural } from '../../ui/charts/numbers.ts'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { Changes } from './changes.tsx'
import { Destinations, Totals } from './runs.tsx'

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
