import type { IncidentDetail } from '../../../src/api/incident.ts'
import { Card } from '../../ui/card.tsx'
import { latency } from '../../ui/charts/numbers.ts'
import { span } from '../../ui/time.tsx'
import { STAGES, type Stage, type TimelineRow, timelineRowsOf } from './stages.ts'

/** The timeline from receiving the incident to the last answer of each provider. */
export function Waterfall({ of }: { readonly of: IncidentDetail }) {
  const timelineRows = timelineRowsOf(of)
  const total = Math.max(1, ...timelineRows.map(({ end }) => end))
  const used = new Set(timelineRows.flatMap(({ spans }) => spans.map(({ stage }) => stage)))
  return (
    <Card title="From arrival to delivery" aside={<p class="quiet">{summaryOf(of, total)}</p>}>
      <ol class="waterfall stack">
        {timelineRows.map((timelineRow) => (
          <TimelineRowView key={timelineRow.name} of={timelineRow} total={total} />
        ))}
      </ol>
      <ul class="stages-legend">
        {(Object.keys(STAGES) as Stage[])
          .filter((stage) => used.has(stage))
          .map((stage) => (
            <li key={stage}>
              <span class={`stage-mark stage-${stage}`} />
              {STAGES[stage]}
            </li>
          ))}
      </ul>
    </Card>
  )
}

function summaryOf({ stages, deliveries }: IncidentDetail, total: number): string {
  if (deliveries.length === 0) return 'no channel is enabled'
  if (stages.first_attempt_at === null) return 'no attempt yet'
  return stages.notified_at === null ? 'in progress' : `done within ${span(total)}`
}

function TimelineRowView({ of, total }: { readonly of: TimelineRow; readonly total: number }) {
  const { name, spans, end, unfinished } = of
  const text = spans.map(({ stage, ms }) => `${STAGES[stage]} ${latency(ms)}`).join(', ')
  return (
    <li class="timeline-row small">
      <span class="timeline-name cut" title={name}>
        {name}
      </span>
      <div class="timeline-bar" role="img" aria-label={text || 'no attempt yet'}>
        {spans.map(({ stage, from, ms }) => (
          <span
            key={`${stage} ${from}`}
            class={`stage stage-${stage}`}
            style={{ left: `${(from / total) * 100}%`, width: `${(ms / total) * 100}%` }}
            title={`${STAGES[stage]} ${latency(ms)}`}
          />
        ))}
      </div>
      <span class="timeline-end end">{unfinished ? 'in progress' : latency(end)}</span>
    </li>
  )
}
