import type { SloReport } from '../api/noise/slo.ts'
import { type ChannelName, TOLD_WAYS } from '../domain/delivery/delivery.ts'
import { SEVERITY_LEVELS } from '../domain/severity.ts'
import { isoTime } from '../text/iso-time.ts'
import type { Snapshot } from './snapshot.ts'

/** Returns the body of `GET /api/admin/slo`: counts and percentiles since the start of the process. */
export function sloOf(snapshot: Snapshot): SloReport {
  return {
    since: isoTime(snapshot.startedAt),
    channels: snapshot.channels.map((channel) => channelReport(channel, snapshot)),
  }
}

function channelReport(channel: ChannelName, { meters, storage }: Snapshot): SloReport['channels'][number] {
  const { toldMs, late: lateCounts } = meters.noise.channels[channel]
  const rows = SEVERITY_LEVELS.flatMap((severity) =>
    TOLD_WAYS.map((way) => {
      const times = toldMs[severity][way]
      return {
        severity,
        way,
        notified: times.count,
        late: lateCounts[severity][way].value,
        p50_ms: times.percentile(50),
        p99_ms: times.percentile(99),
      }
    }),
  ).filter((row) => row.notified > 0)
  const notified = rows.reduce((sum, row) => sum + row.notified, 0)
  const late = rows.reduce((sum, row) => sum + row.late, 0)
  const own = storage?.destinations.find((each) => each.channel === channel && each.target === null)
  return {
    channel,
    bound_ms: own?.boundMs ?? null,
    notified,
    late,
    share_in_time: notified === 0 ? null : 1 - late / notified,
    rows,
  }
}
