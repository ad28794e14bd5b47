import { z } from 'zod'
import { SIGNALS } from '../../domain/page.ts'
import { AttemptRecord } from '../attempt.ts'
import { count, type Shape, time } from '../fields.ts'

/** Escalation of an incident. */
export const OncallRecord = z.object({
  state: z
    .string()
    .describe('`armed`, `paging`, `paged`, `failed`, `acknowledged`, `resolved`, `cancelled`, `joined` or `held`'),
  due_at: time,
  provider: z.string().nullable().describe('The provider that was paged; null before the page'),
  dedup_key: z.string(),
  paged_at: time.nullable(),
  late_ms: count.nullable().describe('How long after `due_at` the provider took the page'),
  next_signal: z
    .enum(SIGNALS)
    .nullable()
    .describe('The signal that is sent next; null when the provider is up to date'),
  next_attempt_at: time.nullable(),
})
export type OncallRecord = Shape<typeof OncallRecord>

export const OncallDetail = OncallRecord.extend({ attempts: z.array(AttemptRecord) })
export type OncallDetail = Shape<typeof OncallDetail>
