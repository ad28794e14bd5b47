import type { AttemptRecord } from '../../../src/api/attempt.ts'
import { latency } from '../../ui/charts/numbers.ts'
import { State } from '../../ui/chip.tsx'
import { Time } from '../../ui/time.tsx'
import { partsOf, STAGES } from './stages.ts'

/** The ledger of a delivery: all attempts, with the provider's answer and the time of each stage. */
export function Attempts({ of, label }: { readonly of: readonly AttemptRecord[]; readonly label: string }) {
  return (
    <ol aria-label={label}>
      {of.map((attempt) => (
        <li key={`${attempt.number} ${attempt.started_at}`} class="attempt small">
          <span class="quiet">{attempt.number}</span>
          <span class="attempt-outcome">
            <State of={attempt.outcome} />
          </span>
          <span class="end">
            <Time at={attempt.started_at} /> <span class="quiet">took {latency(attempt.duration_ms)}</span>
          </span>
          <div class="attempt-text">
            {attempt.detail !== '' && <p class="mono break">{attempt.detail}</p>}
            {attempt.message_id && <p class="quiet">Message {attempt.message_id}</p>}
            {attempt.may_duplicate && (
              <p class="quiet">No answer arrived: the message may have been delivered, and may be delivered twice.</p>
            )}
            {attempt.render_fault && <p class="error-text">Sent as plain text: {attempt.render_fault}</p>}
          </div>
          <Parts of={attempt} />
        </li>
      ))}
    </ol>
  )
}

/** The stages of one attempt and their times. */
function Parts({ of }: { readonly of: AttemptRecord }) {
  const parts = partsOf(of)
  const total = parts.reduce((sum, { ms }) => sum + ms, 0)
  if (total === 0) return null
  const text = parts.map(({ stage, ms }) => `${STAGES[stage]} ${latency(ms)}`).join(', ')
  return (
    <div class="attempt-stages">
      <div class="stages-bar" role="img" aria-label={`Stages: ${text}`}>
        {parts.map(({ stage, ms }) => (
          <span
            key={stage}
            class={`stage stage-${stage}`}
            style={{ flexGrow: ms / total }}
            title={`${STAGES[stage]} ${latency(ms)}`}
          />
        ))}
      </div>
      <ul class="stages-legend">
        {parts.map(({ stage, ms }) => (
          <li key={stage}>
            <span class={`stage-mark stage-${stage}`} />
            {STAGES[stage]} <strong>{latency(ms)}</strong>
          </li>
        ))}
      </ul>
    </div>
  )
}
