import type { Stats } from '../../../src/api/stats.ts'
import { Figure } from '../../ui/charts/figure.tsx'
import { count, latency, percent, plural, rate, short } from '../../ui/charts/numbers.ts'
import { span } from '../../ui/time.tsx'

/** The main numbers of the service, in large figures. */
export function Figures({ now }: { readonly now: Stats }) {
  const { ingest, storage } = now
  const channels = Object.values(now.deliveries)
  const total = (name: 'sent_total' | 'dead_total') => channels.reduce((sum, each) => sum + each[name], 0)
  const finished = total('sent_total') + total('dead_total')
  const refused = Object.values(ingest.refused_total).reduce((sum, each) => sum + each, 0)
  const oldest = Math.max(0, ...channels.map((each) => each.oldest_pending_age_ms ?? 0))
  return (
    <dl class="figures">
      <Figure name="Accepted" value={rate(ingest.accepted_per_s)} unit="/s">
        {count(ingest.accepted_total)} in total{refused > 0 && `, ${count(refused)} refused`}
      </Figure>
      <Figure name="Time to disk" value={latency(ingest.commit_ms.p50)}>
        median; p99 is {latency(ingest.commit_ms.p99)}
      </Figure>
      <Figure name="Delivered" value={finished === 0 ? '–' : percent(total('sent_total') / finished)}>
        {count(total('sent_total'))} sent, {count(total('dead_total'))} dead
      </Figure>
      <Figure name="Backlog" value={storage === null ? '–' : short(storage.unfinished_deliveries)}>
        {storage?.unfinished_deliveries === 0 ? 'all deliveries are finished' : `the oldest has waited ${span(oldest)}`}
        {storage !== null && storage.unapplied > 0 && unappliedText(storage)}
      </Figure>
      <Figure name="On call" value={now.oncall.armed === null ? '–' : count(now.oncall.armed)} unit=" armed">
        {pagedText(now.oncall)}
      </Figure>
    </dl>
  )
}

const unappliedText = ({ unapplied, apply_lag_ms }: NonNullable<Stats['storage']>) =>
  `; ${plural(unapplied, 'incident')} not applied yet, ${span(apply_lag_ms)} behind`

function pagedText({ paged_total }: Stats['oncall']): string {
  const paged = Object.entries(paged_total).filter(([, n]) => n > 0)
  return paged.length === 0
    ? 'no page sent yet'
    : paged.map(([outcome, n]) => `${plural(n, 'page')} ${outcome}`).join(', ')
}
