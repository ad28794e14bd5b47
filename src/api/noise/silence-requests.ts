import { z } from 'zod'
import { count, type Shape, time } from '../fields.ts'
import { Match, SilencePreview, SilenceRecord, SilenceWindow } from './silence.ts'

export const SilenceRequest = z
  .object({
    name: z.string().exactOptional().describe('Default: the conditions in words'),
    match: Match.exactOptional(),
    matchers: z
      .array(z.string())
      .exactOptional()
      .describe('The conditions as `service=db-*`, `title=~disk.*`, `team!=web`, in place of `match`'),
    problem: count
      .exactOptional()
      .describe('Number of a problem, in place of `match`: this problem alone, whatever its fingerprint is'),
    while: z
      .object({
        match: Match.exactOptional(),
        matchers: z.array(z.string()).exactOptional(),
        equal: z
          .array(z.string())
          .exactOptional()
          .describe('Labels, of which a cause and what it holds have the same values; absent is a value'),
      })
      .exactOptional()
      .describe(
        'In force only while a problem fires that fits these conditions, in either form; needs `until`. Such problems are never held',
      ),
    starts_at: time.exactOptional().describe('Default: now'),
    ends_at: time.exactOptional().describe('At most 30 days after the begin; or `for`, or `schedule` with `until`'),
    for: z.string().exactOptional().describe('Length from the begin, such as `2h`, in place of `ends_at`'),
    schedule: z.array(SilenceWindow).exactOptional(),
    until: z
      .union([time, z.literal('resolved')])
      .exactOptional()
      .describe(
        'End of a recurring one, or of one with `while`, at most one year ahead; `resolved`: it ends when no problem that fits fires',
      ),
    quiet_for: z
      .string()
      .exactOptional()
      .describe('With `until: resolved`: for how long none has to fire, `1m` to `24h`; default: `10m`'),
    max: z
      .string()
      .exactOptional()
      .describe('With `until: resolved`: it ends after this time in any case, at most `30d`; default: `24h`'),
    until_resolved: z
      .boolean()
      .exactOptional()
      .describe('Older spelling of `until: resolved`, with `for` or `ends_at` in place of `max`'),
    owner: z.string(),
    comment: z.string(),
    broad: z.boolean().exactOptional().describe('Needed when it would hold more than half of all incidents'),
  })
  .describe('A silence that is to be made, or whose effect is asked for')

export const SilenceChange = z
  .object({
    ends_at: time.exactOptional().describe('A new end: later or earlier; one that is past ends it now'),
    for: z.string().exactOptional().describe('A new end, from now: `2h`'),
    comment: z.string().exactOptional(),
    owner: z.string().exactOptional(),
  })
  .describe('A change of a silence that was made here; `until` is its `ends_at`')

export const SilenceCreated = z.object({ silence: SilenceRecord, preview: SilencePreview })
export type SilenceCreated = Shape<typeof SilenceCreated>
