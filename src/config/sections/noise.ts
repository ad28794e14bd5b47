import { z } from 'zod'
import { duration, flag, oneOf } from '../../settings/fields.ts'

/**
 * `noise.storm`: defaults of all channels. `noise.repeats`: messages about problems that fire already. `noise.flapping`: one
 * message about a problem that flaps.
 */
export const noise = z
  .object({
    storm: z.object({ enable: flag(true), within: duration('60s', 10_000) }),
    repeats: z.object({ mode: oneOf(['each', 'fold']), remind: duration('4h', 60_000) }),
    flapping: z.object({ enable: flag(false) }),
  })
  .transform(({ storm, repeats, flapping }) => ({
    storm: { enable: storm.enable, withinMs: storm.within },
    repeats: { mode: repeats.mode, remindMs: repeats.remind },
    flapping,
  }))
