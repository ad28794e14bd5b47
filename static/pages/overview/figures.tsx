import type { Stats } from '../../../src/api/stats.ts'
import { Figure } from '../../ui/figure.tsx'
import { count, latency, percent, plural, rate, short } from '../../ui/numbers.ts'
import { span } from '../../ui/time.tsx'

/** The numbers to read from across a room. */
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
        {count(ingest.accepted_total)} in all{refused > 0 && `, ${count(refused)} refused`}
      </Figure>
      <Figure name="On disk within" value={latency(ingest.commit_ms.p50)}>
        99 of 100 within {latency(ingest.commit_ms.p99)}
      </Figure>
      <Figure name="Delivered" value={finished === 0 ? '–' : percent(total('sent_total') / finished)}>
        {count(total('sent_total'))} sent, {count(total('dead_total'))} dead
      </Figure>
      <Figure name="Backlog" value={storage === null ? '–' : short(storage.unfinished_deliveries)}>
        {storage?.unfinished_deliveries === 0 ? 'everything is delivered' : `the oldest waits ${span(oldest)}`}
      </Figure>
      <Figure name="On call" value={now.oncall.armed === null ? '–' : count(now.oncall.armed)} unit=" armed">
        {pagedText(now.oncall)}
      </Figure>
    </dl>
  )
}

function pagedText({ paged_total }: Stats['oncall']): string {
  const paged = Object.entries(paged_total).filter(([, n]) => n > 0)
  return paged.length === 0
    ? 'nobody was paged'
    : paged.map(([outcome, n]) => `${plural(n, 'page')} ${outcome}`).join(', ')
}
