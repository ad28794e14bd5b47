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
          rows={channels}
          id={([name]) => name}
          columns={[
            ['Channel', ([name]) => name],
            ['Sent', ([name, { sent_per_s }]) => <Sent name={name} rate={sent_per_s} />],
            ['Success', ([, each]) => successOf(each), { number: true, title: ([, each]) => countsOf(each) }],
            ['p50', ([, { latency_ms }]) => latency(latency_ms.p50), { number: true, hint: P50 }],
            ['p95', ([, { latency_ms }]) => latency(latency_ms.p95), { number: true }],
            ['p99', ([, { latency_ms }]) => latency(latency_ms.p99), { number: true }],
            [
              'Backlog',
              ([, { backlog }]) => (backlog === null ? '–' : short(backlog)),
              { number: true, title: ([, each]) => waitOf(each) },
            ],
          ]}
        />
      )}
    </Card>
  )
}

const P50 = "From commit to the provider's answer, over the last minute"

function Sent({ name, rate: perSecond }: { readonly name: string; readonly rate: number }) {
  const sent = samples.value.slice(-SPARK_SAMPLES).map(({ sentBy }) => sentBy[name] ?? 0)
  return (
    <div class="spark-cell line">
      <Spark label={`sent per second, now ${rate(perSecond)}`} values={sent} />
      <span>{rate(perSecond)}/s</span>
    </div>
  )
}

const successOf = ({ sent_total, dead_total }: ChannelStats) =>
  sent_total + dead_total === 0 ? '–' : percent(sent_total / (sent_total + dead_total))
const countsOf = ({ sent_total, retried_total, dead_total }: ChannelStats) =>
  `${count(sent_total)} sent, ${count(retried_total)} retried, ${count(dead_total)} dead`
const waitOf = ({ oldest_pending_age_ms: ms }: ChannelStats) => (ms ? `the oldest has waited ${span(ms)}` : undefined)
