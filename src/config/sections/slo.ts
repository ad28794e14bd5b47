import { z } from 'zod'
import { fraction, requiredDuration } from '../../settings/fields.ts'

/** `slo`: the objective of telling in time; without `told_within` there is none. */
export const slo = z
  .object({
    told_within: z
      .union([z.literal(''), requiredDuration(1_000)], {
        error: 'must be a time from 1s to 365d, such as "60s", or empty',
      })
      .default(''),
    objective: fraction(99.9, [50, 99.999]),
  })
  .transform(({ told_within, objective }) =>
    told_within === '' ? undefined : { toldWithinMs: told_within, objective: Number((objective / 100).toFixed(6)) },
  )
