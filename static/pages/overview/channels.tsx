import type { ChannelStats, Stats } from '../../../src/api/stats.ts'
import { href } from '../../app/route.ts'
import { samples } from '../../live/stats.ts'
import { Card } from '../../ui/card.tsx'
import { count, latency, percent, rate, short } from '../../ui/charts/numbers.ts'
import { Spark } from '../../ui/charts/spark.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Table } from '../../ui/table.tsx'
import { span } from '../../ui/time.tsx'

/** Samples of the small line: the last two minutes. */
const SPARK_SAMPLES = 120

/** Rate, success, latency and backlog of each channel. */
export function ChannelTable({ now }: { readonly now: Stats }) {
  const channels = Object.entries(now.deliveries)
  return (
    <Card title="Channels" aside={<a href={href('channels')}>Health and dead letters</a>}>
      {channels.length === 0 ? (
        <Empty icon="channels" title="No channel is enabled">
          <p>
            Set <code>alert.&lt;channel&gt;.enable</code> to see its rate, latency and backlog here.
          </p>
        </Empty>
      ) : (
        <Table
          columns={[
            'Channel',
            'Sent',
            { number: 'Success' },
            { number: 'p50', hint: "From commit to the provider's answer, over the last minute" },
            { number: 'p95' },
            { number: 'p99' },
            { number: 'Backlog' },
          ]}
        >
          {channels.map(([name, each]) => (
            <ChannelRow key={name} name={name} of={each} />
          ))}
        </Table>
      )}
    </Card>
  )
}

function ChannelRow({ name, of }: { readonly name: string; readonly of: ChannelStats }) {
  const { sent_total, dead_total, retried_total, sent_per_s, latency_ms, backlog, oldest_pending_age_ms } = of
  const finished = sent_total + dead_total
  const sent = samples.value.slice(-SPARK_SAMPLES).map(({ sentBy }) => sentBy[name] ?? 0)
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <div class="spark-cell line">
          <Spark label={`sent per second, now ${rate(sent_per_s)}`} values={sent} />
          <span>{rate(sent_per_s)}/s</span>
        </div>
      </td>
      <td
        class="number"
        title={`${count(sent_total)} sent, ${count(retried_total)} retried, ${count(dead_total)} dead`}
      >
        {finished === 0 ? '–' : percent(sent_total / finished)}
      </td>
      <td class="number">{latency(latency_ms.p50)}</td>
      <td class="number">{latency(latency_ms.p95)}</td>
      <td class="number">{latency(latency_ms.p99)}</td>
      <td
        class="number"
        title={oldest_pending_age_ms ? `the oldest has waited ${span(oldest_pending_age_ms)}` : undefined}
      >
        {backlog === null ? '–' : short(backlog)}
      </td>
    </tr>
  )
}
