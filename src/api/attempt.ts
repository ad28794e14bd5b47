import { z } from 'zod'
import { nonNegative, type Shape, time } from './fields.ts'

/** One line of the ledger of attempts. */
export const AttemptRecord = z
  .object({
    number: z.int().min(1),
    started_at: time,
    duration_ms: nonNegative,
    outcome: z.enum(['sent', 'retry', 'failed', 'gone']),
    detail: z.string().describe("The provider's answer, or why there was none"),
    message_id: z.string().nullable().describe("The provider's id of the message"),
    may_duplicate: z.boolean().describe('The message of an earlier attempt may have arrived as well'),
    render_fault: z.string().nullable().describe('Why the template failed, and plain text was sent instead'),
    committed_at: time,
    handed_out_at: time.nullable().describe('null for attempts of versions that did not record it'),
    queued_ms: nonNegative
      .nullable()
      .describe('Wait for a render thread and a free connection; null like `handed_out_at`'),
    render_ms: nonNegative,
    limiter_wait_ms: nonNegative.describe('Wait for the rate limit of the destination'),
    connected_ms: nonNegative
      .nullable()
      .describe('Part of `confirmed_ms` until the connection was open; null for a reused connection and for mail'),
    confirmed_ms: nonNegative.describe("Until the provider's answer or the failure; equals `duration_ms`"),
  })
  .describe(
    'Stages in order: on disk from `committed_at` to `handed_out_at`, then `queued_ms`, `render_ms` and `limiter_wait_ms`; from ' +
      '`started_at` the provider took `confirmed_ms`',
  )
export type AttemptRecord = Shape<typeof AttemptRecord>
