import type { IncidentDetail } from '../../api/shapes.ts'
import { latency } from '../../ui/numbers.ts'
import { span } from '../../ui/time.tsx'
import { type Lane, lanesOf, STAGES, type Stage } from './stages.ts'

/** Where the time went from receiving the incident to the last word of every provider. */
export function Waterfall({ of }: { readonly of: IncidentDetail }) {
  const lanes = lanesOf(of)
  const total = Math.max(1, ...lanes.map(({ end }) => end))
  const used = new Set(lanes.flatMap(({ stretches }) => stretches.map(({ stage }) => stage)))
  return (
    <section class="card">
      <header class="card-head">
        <h2>From arrival to delivery</h2>
        <p class="quiet">{saysOf(of, total)}</p>
      </header>
      <ol class="waterfall">
        {lanes.map((lane) => (
          <LaneRow key={lane.name} lane={lane} total={total} />
        ))}
      </ol>
      <ul class="parts-legend">
        {(Object.keys(STAGES) as Stage[])
          .filter((stage) => used.has(stage))
          .map((stage) => (
            <li key={stage}>
              <span class={`stage-mark stage-${stage}`} />
              {STAGES[stage]}
            </li>
          ))}
      </ul>
    </section>
  )
}

function saysOf({ stages, deliveries }: IncidentDetail, total: number): string {
  if (deliveries.length === 0) return 'no channel is enabled'
  if (stages.first_attempt_at === null) return 'nothing was attempted yet'
  return stages.notified_at === null ? 'under way' : `done within ${span(total)}`
}

function LaneRow({
  lane: { name, stretches, end, unfinished },
  total,
}: {
  readonly lane: Lane
  readonly total: number
}) {
  const says = stretches.map(({ stage, ms }) => `${STAGES[stage]} ${latency(ms)}`).join(', ')
  return (
    <li class="lane">
      <span class="lane-name">{name}</span>
      <div class="lane-bar" role="img" aria-label={says || 'nothing yet'}>
        {stretches.map(({ stage, from, ms }) => (
          <span
            key={`${stage} ${from}`}
            class={`stage stage-${stage}`}
            style={{ left: `${(from / total) * 100}%`, width: `${(ms / total) * 100}%` }}
            title={`${STAGES[stage]} ${latency(ms)}`}
          />
        ))}
      </div>
      <span class="lane-end">{unfinished ? 'under way' : latency(end)}</span>
    </li>
  )
}
