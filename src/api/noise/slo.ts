import { z } from 'zod'
import { TOLD_WAYS } from '../../domain/delivery/delivery.ts'
import { SEVERITY_LEVELS } from '../../domain/severity.ts'
import { channelName, count, nonNegative, type Shape, time } from '../fields.ts'

const NotifiedRow = z.object({
  severity: z.enum(SEVERITY_LEVELS),
  way: z
    .enum(TOLD_WAYS)
    .describe('`message`: a message of its own; `digest`: a posted update of a digest; `edit`: an edited one'),
  notified: count,
  late: count.describe('Later than the bound'),
  p50_ms: nonNegative,
  p99_ms: nonNegative,
})

export const SloReport = z.object({
  since: time.describe('Start of the process; earlier incidents are not counted'),
  channels: z.array(
    z.object({
      channel: channelName,
      bound_ms: nonNegative.nullable().describe('Of its default destination'),
      notified: count,
      late: count,
      share_in_time: nonNegative.max(1).nullable().describe('null while nothing was notified'),
      rows: z.array(NotifiedRow).describe('Without combinations that did not happen'),
    }),
  ),
})
export type SloReport = Shape<typeof SloReport>
